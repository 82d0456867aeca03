/* SPDX-License-Identifier: MIT */
/* tables_report.c - the tables of what the report says. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/tables.h"
#include "tools/report/found.h"
#include "tools/report/lock_names.h"

static void put_number(const struct rows_to *to, uint64_t value)
{
	to->integer(to->context, (int64_t)value);
}

/* A site that is none, or not known. */
static void put_site(const struct rows_to *to, site_id site)
{
	if (site == SITE_NONE)
		to->null(to->context);
	else
		to->integer(to->context, site);
}

static void put_place(const struct rows_to *to, const struct place *place)
{
	to->text(to->context, place->name);
	to->text(to->context, place->file);
	if (place->file)
		to->integer(to->context, place->line);
	else
		to->null(to->context);
	to->text(to->context, place->module);
}

static void put_charge(const struct rows_to *to, const struct charge *charge)
{
	put_number(to, charge->work_ns);
	put_number(to, charge->delay_ns);
	put_number(to, charge->no_work_sched_ns);
	put_number(to, charge->no_work_app_ns);
}

/* The columns of a place, and of a charge. */
#define PLACE                                                                                      \
	{ "function", COLUMN_TEXT }, { "file", COLUMN_TEXT }, { "line", COLUMN_INTEGER },          \
	{                                                                                          \
		"module", COLUMN_TEXT                                                              \
	}
#define CHARGE                                                                                     \
	{ "work_ns", COLUMN_INTEGER }, { "delay_ns", COLUMN_INTEGER },                             \
		{ "no_work_sched_ns", COLUMN_INTEGER },                                            \
	{                                                                                          \
		"no_work_app_ns", COLUMN_INTEGER                                                   \
	}

/* ---- kind ---- */

static const struct column kind_column[] = {
	{ "id", COLUMN_INTEGER },
	PLACE,
	{ "site", COLUMN_INTEGER },
	{ "what", COLUMN_TEXT },
	{ "tasks", COLUMN_INTEGER },
	{ "collapsed", COLUMN_INTEGER },
	CHARGE,
	{ "blocked_ns", COLUMN_INTEGER },
	{ "runtime_ns", COLUMN_INTEGER },
	{ "starved_ns", COLUMN_INTEGER },
	{ "tracer_ns", COLUMN_INTEGER },
	{ "min_ns", COLUMN_INTEGER },
	{ "median_ns", COLUMN_INTEGER },
	{ "max_ns", COLUMN_INTEGER },
	{ NULL, COLUMN_INTEGER },
};

static int put_kinds(const struct export *export, const struct rows_to *to)
{
	const struct summary *summary = export->summary;
	const struct breakdown *b = &summary->breakdown;

	for (kind_id k = 0; k < export->dag->n_kinds; k++) {
		const struct kind_facts *facts = &summary->facts[k];
		const struct kind_collapsed *collapsed = export->dag->kind_collapsed[k];

		put_number(to, k);
		put_place(to, &summary->rows.code[k]);
		put_site(to, export->dag->kind_site[k]);
		to->text(to->context, kind_what_name[export->dag->kind_what[k]]);
		put_number(to, facts->n_tasks);
		put_number(to, collapsed ? collapsed->n_tasks : 0);
		put_charge(to, &b->kind[k]);
		put_number(to, b->blocked_ns[k]);
		put_number(to, b->runtime_ns[k]);
		put_number(to, b->starved_ns[k]);
		put_number(to, b->tracer_ns[k]);
		put_number(to, facts->min_ns);
		put_number(to, facts->median_ns);
		put_number(to, facts->max_ns);
		to->end_row(to->context);
	}
	return 0;
}

/* ---- site ---- */

static const struct column site_column[] = {
	{ "id", COLUMN_INTEGER },
	PLACE,
	{ NULL, COLUMN_INTEGER },
};

static int put_sites(const struct export *export, const struct rows_to *to)
{
	for (site_id s = 0; s < export->run->sites.n; s++) {
		struct place place = rows_site(export->run, s);

		put_number(to, s);
		put_place(to, &place);
		to->end_row(to->context);
	}
	return 0;
}

/* ---- wait, lock ---- */

static const struct column wait_column[] = {
	{ "site", COLUMN_INTEGER },   PLACE,
	{ "kind", COLUMN_TEXT },      { "times", COLUMN_INTEGER },
	{ "waited", COLUMN_INTEGER }, { "wait_ns", COLUMN_INTEGER },
	{ "max_ns", COLUMN_INTEGER }, { "idle_ns", COLUMN_INTEGER },
	{ NULL, COLUMN_INTEGER },
};

static int put_waits(const struct export *export, const struct rows_to *to)
{
	const struct wait_sites *waits = &export->summary->waits;

	for (uint32_t i = 0; i < waits->n; i++) {
		const struct wait_site *wait = &waits->site[i];
		struct place place = rows_site(export->run, wait->site);

		put_site(to, wait->site);
		put_place(to, &place);
		to->text(to->context, wait_name(wait->what));
		put_number(to, wait->n);
		put_number(to, wait->n_waited);
		put_number(to, wait->wait_ns);
		put_number(to, wait->max_ns);
		put_number(to, wait->idle_ns);
		to->end_row(to->context);
	}
	return 0;
}

static const struct column lock_column[] = {
	{ "site", COLUMN_INTEGER },    PLACE,
	{ "name", COLUMN_TEXT },       { "what", COLUMN_TEXT },
	{ "object", COLUMN_TEXT },     { "objects", COLUMN_INTEGER },
	{ "entries", COLUMN_INTEGER }, { "waits", COLUMN_INTEGER },
	{ "wait_ns", COLUMN_INTEGER }, { "median_ns", COLUMN_INTEGER },
	{ "max_ns", COLUMN_INTEGER },  { "busy_ns", COLUMN_INTEGER },
	{ "held_ns", COLUMN_INTEGER }, { "held_max_ns", COLUMN_INTEGER },
	{ NULL, COLUMN_INTEGER },
};

static void put_lock_times(const struct rows_to *to, const struct lock *lock)
{
	put_number(to, lock->n_entries);
	put_number(to, lock->n_waits);
	put_number(to, lock->wait_ns);
	put_number(to, lock->median_ns);
	put_number(to, lock->max_ns);
	put_number(to, lock->busy_ns);
	if (lock->held_known) {
		put_number(to, lock->held_ns);
		put_number(to, lock->held_max_ns);
	} else {
		to->null(to->context);
		to->null(to->context);
	}
	to->end_row(to->context);
}

static int put_locks(const struct export *export, const struct rows_to *to)
{
	const struct locks *locks = &export->summary->locks;
	char name[300], object[24];

	for (uint32_t i = 0; i < locks->n; i++) {
		const struct lock *lock = &locks->lock[i];
		struct place place = rows_site(export->run, lock->site);

		snprintf(object, sizeof(object), "0x%" PRIx64, lock->object);
		put_site(to, lock->site);
		put_place(to, &place);
		to->text(to->context, lock_name(name, sizeof(name), &export->run->sites, lock));
		to->text(to->context, lock_what(lock));
		to->text(to->context, lock->n_objects > 1 ? NULL : object);
		put_number(to, lock->n_objects);
		put_lock_times(to, lock);
	}
	return 0;
}

/* ---- finding ---- */

static const struct column finding_column[] = {
	{ "id", COLUMN_TEXT },	       { "lost_ns", COLUMN_INTEGER },
	{ "path_ns", COLUMN_INTEGER }, { "elapsed_ns", COLUMN_INTEGER },
	{ "in_work", COLUMN_INTEGER }, { "place", COLUMN_TEXT },
	{ "file", COLUMN_TEXT },       { "line", COLUMN_INTEGER },
	{ "what", COLUMN_TEXT },       { "try", COLUMN_TEXT },
	{ NULL, COLUMN_INTEGER },
};

static int put_findings(const struct export *export, const struct rows_to *to)
{
	const struct findings *findings = &export->summary->findings;
	struct found found;

	for (uint32_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		found_say(&found, export->summary, finding);
		to->text(to->context, finding->id);
		put_number(to, finding->lost_ns);
		put_number(to, finding->path_ns);
		put_number(to, finding->elapsed_ns);
		put_number(to, finding->in_work);
		to->text(to->context, found.where);
		to->text(to->context, found.place.file);
		put_number(to, found.place.line);
		to->text(to->context, found.what);
		to->text(to->context, found.advice);
		to->end_row(to->context);
	}
	return 0;
}

/* ---- worker ---- */

static const struct column worker_column[] = {
	{ "id", COLUMN_INTEGER },
	{ "strands", COLUMN_INTEGER },
	CHARGE,
	{ "events_lost", COLUMN_INTEGER },
	{ "cpu_ns", COLUMN_INTEGER },
	{ "cpu_wait_ns", COLUMN_INTEGER },
	{ NULL, COLUMN_INTEGER },
};

static uint64_t lost_of(const struct dag *dag, uint32_t worker)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].worker == worker && dag->gap[i].why != WIRE_LOSS_STOPPED)
			n += dag->gap[i].n;
	return n;
}

static void put_worker(const struct export *export, const struct rows_to *to, uint32_t worker,
		       uint64_t n_strands)
{
	const struct summary *summary = export->summary;
	const struct machine_row *machine =
		summary->machine.worker ? &summary->machine.worker[worker] : NULL;

	put_number(to, worker);
	put_number(to, n_strands);
	put_charge(to, &summary->breakdown.worker[worker]);
	put_number(to, lost_of(export->dag, worker));
	if (machine && machine->known_ns)
		put_number(to, machine->cpu_ns);
	else
		to->null(to->context);
	if (machine && machine->known_ns && machine->has_wait)
		put_number(to, machine->cpu_wait_ns);
	else
		to->null(to->context);
	to->end_row(to->context);
}

static int put_workers(const struct export *export, const struct rows_to *to)
{
	const struct dag *dag = export->dag;
	uint64_t *n_strands = calloc(dag->n_slots + 1ull, sizeof(*n_strands));

	if (!n_strands)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			n_strands[dag->strand[s].worker]++;
	for (uint32_t w = 0; w < dag->n_slots; w++)
		put_worker(export, to, w, n_strands[w]);
	free(n_strands);
	return 0;
}

/* ---- loss, meta ---- */

static const struct column loss_column[] = {
	{ "worker", COLUMN_INTEGER }, { "events", COLUMN_INTEGER }, { "from_ns", COLUMN_INTEGER },
	{ "to_ns", COLUMN_INTEGER },  { "why", COLUMN_TEXT },	    { "what", COLUMN_TEXT },
	{ "count", COLUMN_INTEGER },  { NULL, COLUMN_INTEGER },
};

static void put_known(const struct rows_to *to, uint64_t value)
{
	if (value == LOSS_UNKNOWN)
		to->null(to->context);
	else
		put_number(to, value);
}

static void put_loss(void *context, const struct loss *loss)
{
	const struct rows_to *to = context;

	put_known(to, loss->worker == LOSS_NO_WORKER ? LOSS_UNKNOWN : loss->worker);
	put_known(to, loss->what == LOSS_EVENTS ? loss->count : LOSS_UNKNOWN);
	put_known(to, loss->from_ns);
	put_known(to, loss->to_ns);
	to->text(to->context, loss->why);
	to->text(to->context, loss_what_name[loss->what]);
	put_known(to, loss->count);
	to->end_row(to->context);
}

/* When recording was stopped, too, which is no loss. */
static int put_losses(const struct export *export, const struct rows_to *to)
{
	for (uint64_t i = 0; i < export->dag->n_gaps; i++) {
		const struct gap *gap = &export->dag->gap[i];

		if (gap->why == WIRE_LOSS_STOPPED)
			put_loss((void *)to,
				 &(struct loss){ LOSS_EVENTS, gap->worker, gap->n, "stopped",
						 gap->since_ns, gap->until_ns, NULL });
	}
	losses_each(&export->summary->losses, put_loss, (void *)to);
	return 0;
}

static const struct column meta_column[] = {
	{ "key", COLUMN_TEXT },
	{ "value", COLUMN_TEXT },
	{ NULL, COLUMN_INTEGER },
};

static int put_meta(const struct export *export, const struct rows_to *to)
{
	for (uint32_t i = 0; i < export->n_facts; i++) {
		to->text(to->context, export->fact[i].key);
		to->text(to->context, export->fact[i].value);
		to->end_row(to->context);
	}
	return 0;
}

const struct export_table tables_of_report[] = {
	{ "meta", meta_column, put_meta },
	{ "kind", kind_column, put_kinds },
	{ "site", site_column, put_sites },
	{ "wait", wait_column, put_waits },
	{ "lock", lock_column, put_locks },
	{ "finding", finding_column, put_findings },
	{ "worker", worker_column, put_workers },
	{ "loss", loss_column, put_losses },
	{ 0 },
};

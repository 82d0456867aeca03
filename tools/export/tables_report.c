/* SPDX-License-Identifier: MIT */
/* tables_report.c - the tables of what the report says. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/tables.h"
#include "tools/summary/found.h"
#include "tools/report/grain_table.h"
#include "tools/report/json_distributions.h"
#include "tools/report/lock_table.h"
#include "tools/report/path_table.h"

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

static void put_charge(const struct rows_to *to, const struct charge *charge)
{
	put_number(to, charge->work_ns);
	put_number(to, charge->delay_ns);
	put_number(to, charge->no_work_sched_ns);
	put_number(to, charge->no_work_app_ns);
}

/* The columns of a place, and of a charge. */
#define PLACE                                                                                      \
	{ "function", SQL_TEXT }, { "file", SQL_TEXT }, { "line", SQL_INTEGER },                   \
	{                                                                                          \
		"module", SQL_TEXT                                                                 \
	}
#define CHARGE                                                                                     \
	{ "work_ns", SQL_INTEGER }, { "delay_ns", SQL_INTEGER },                                   \
		{ "no_work_sched_ns", SQL_INTEGER },                                               \
	{                                                                                          \
		"no_work_app_ns", SQL_INTEGER                                                      \
	}

/* ---- kind ---- */

static const struct sql_column kind_column[] = {
	{ "id", SQL_INTEGER },
	PLACE,
	{ "site", SQL_INTEGER },
	{ "what", SQL_TEXT },
	{ "tasks", SQL_INTEGER },
	{ "collapsed", SQL_INTEGER },
	CHARGE,
	{ "blocked_ns", SQL_INTEGER },
	{ "runtime_ns", SQL_INTEGER },
	{ "starved_ns", SQL_INTEGER },
	{ "tracer_ns", SQL_INTEGER },
	{ "min_ns", SQL_INTEGER },
	{ "median_ns", SQL_INTEGER },
	{ "max_ns", SQL_INTEGER },
	{ NULL, SQL_INTEGER },
};

static int put_kinds(const struct export *export, const struct rows_to *to)
{
	const struct summary *summary = export->summary;
	const struct breakdown *b = &summary->breakdown;

	for (kind_id k = 0; k < export->dag->n_kinds; k++) {
		const struct kind_facts *facts = &summary->facts[k];
		const struct kind_collapsed *collapsed = export->dag->kind_collapsed[k];

		put_number(to, k);
		tables_put_place(to, &summary->rows.code[k]);
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

static const struct sql_column site_column[] = {
	{ "id", SQL_INTEGER },
	PLACE,
	{ NULL, SQL_INTEGER },
};

static int put_sites(const struct export *export, const struct rows_to *to)
{
	for (site_id s = 0; s < export->run->sites.n; s++) {
		struct place place = rows_site(export->run, s);

		put_number(to, s);
		tables_put_place(to, &place);
		to->end_row(to->context);
	}
	return 0;
}

/* ---- grain, path ---- */

static struct table grain_columns(const struct summary *summary)
{
	(void)summary;
	return grain_rows_table(NULL);
}

static int put_grains(const struct export *export, const struct rows_to *to)
{
	struct grain_rows *rows;
	int error = grain_rows_open(&rows, export->summary);
	struct table table = grain_rows_table(rows);

	tables_put_rows(to, &table);
	free(rows);
	return error;
}

static struct table path_columns(const struct summary *summary)
{
	(void)summary;
	return path_table(&(struct path_rows){ 0 });
}

static int put_paths(const struct export *export, const struct rows_to *to)
{
	struct path_rows rows;
	int error = path_rows_build(&rows, export->summary);
	struct table table;

	if (error)
		return error;
	table = path_table(&rows);
	tables_put_rows(to, &table);
	path_rows_free(&rows);
	return 0;
}

/* ---- finding ---- */

static const struct sql_column finding_column[] = {
	{ "id", SQL_TEXT },	    { "lost_ns", SQL_INTEGER },
	{ "path_ns", SQL_INTEGER }, { "elapsed_ns", SQL_INTEGER },
	{ "in_work", SQL_INTEGER }, { "place", SQL_TEXT },
	{ "file", SQL_TEXT },	    { "line", SQL_INTEGER },
	{ "what", SQL_TEXT },	    { "try", SQL_TEXT },
	{ NULL, SQL_INTEGER },
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

static const struct sql_column worker_column[] = {
	{ "id", SQL_INTEGER },		{ "strands", SQL_INTEGER }, CHARGE,
	{ "events_lost", SQL_INTEGER }, { "cpu_ns", SQL_INTEGER },  { "cpu_wait_ns", SQL_INTEGER },
	{ NULL, SQL_INTEGER },
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

static const struct sql_column loss_column[] = {
	{ "worker", SQL_INTEGER }, { "events", SQL_INTEGER }, { "from_ns", SQL_INTEGER },
	{ "to_ns", SQL_INTEGER },  { "why", SQL_TEXT },	      { "what", SQL_TEXT },
	{ "count", SQL_INTEGER },  { NULL, SQL_INTEGER },
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

static const struct sql_column meta_column[] = {
	{ "key", SQL_TEXT },
	{ "value", SQL_TEXT },
	{ NULL, SQL_INTEGER },
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
	{ "meta", meta_column, .put = put_meta },
	{ "kind", kind_column, .put = put_kinds },
	{ "site", site_column, .put = put_sites },
	{ "wait", .report = wait_table },
	{ "lock", .report = lock_table },
	{ "grain", .report = grain_columns, .put = put_grains },
	{ "path", .report = path_columns, .put = put_paths },
	{ "distribution", .report = distribution_rows },
	{ "finding", finding_column, .put = put_findings },
	{ "worker", worker_column, .put = put_workers },
	{ "loss", loss_column, .put = put_losses },
	{ 0 },
};

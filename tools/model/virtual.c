/* SPDX-License-Identifier: MIT */
/* virtual.c - writes the events of strands in their new order, as text, and loads that. */
#include "tools/model/virtual.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/load.h"
#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/event_text.h"
#include "tools/base/at_most.h"
#include "tools/dag/ids.h"
#include "tools/model/virtual_events.h"

struct writing {
	const struct virtual_run *run;
	struct virtual_events events;
	struct placed *placed; /* by strand: where it is written */
	strand_id *order;      /* strands by worker and time; n */
	uint32_t n;
	uint64_t *n_ids;  /* by virtual worker: given out so far */
	uint64_t *made;	  /* by strand: the id that its end made */
	uint64_t *begun;  /* by task: the id that its begin made, of roots and members; else 0 */
	strand_id *first; /* by task: its first strand */
	FILE *out;
};

/* ---- order ---- */

/*
 * A strand of no length stays where the one before it ended, if that was at the same time: nobody
 * could tell in which order a task visited several workers then.  No worker is busy with it.
 */
static void place(struct writing *writing)
{
	const struct dag *dag = writing->run->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		struct placed *placed = &writing->placed[s];
		strand_id before = dag->strand[s].pred;

		*placed = writing->run->placed[s];
		if (!dag_is_node(dag, s) && !(dag->how[s] & STRAND_FIRST) &&
		    before != STRAND_NONE && placed->start_ns == placed->end_ns &&
		    writing->placed[before].end_ns == placed->start_ns)
			placed->worker = writing->placed[before].worker;
	}
}

static int by_place(const void *a, const void *b, void *of)
{
	const struct placed *placed = of;
	strand_id s = *(const strand_id *)a, t = *(const strand_id *)b;
	const struct placed *x = &placed[s], *y = &placed[t];

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return s < t ? -1 : s > t;
}

static void find_order(struct writing *writing)
{
	const struct dag *dag = writing->run->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		writing->order[writing->n++] = s;
		if (dag->how[s] & STRAND_FIRST)
			writing->first[dag->strand[s].task] = s;
	}
	qsort_r(writing->order, writing->n, sizeof(*writing->order), by_place, writing->placed);
}

/* ---- ids ---- */

static void give_ids(struct writing *writing)
{
	for (uint32_t i = 0; i < writing->n; i++) {
		strand_id s = writing->order[i];
		uint32_t worker = writing->placed[s].worker;
		uint64_t *n_ids = &writing->n_ids[worker];
		uint32_t n;
		const struct event *event = virtual_events_of(&writing->events, s, &n);

		for (uint32_t e = 0; e < n; e++) {
			if (event[e].kind == WIRE_START || event[e].kind == WIRE_NEXT_ID)
				continue;
			*n_ids = ids_after(event[e].kind, event[e].b, *n_ids);
			if (kind_makes(event[e].kind) && e == 0)
				writing->begun[writing->run->dag->strand[s].task] =
					id_make(worker, *n_ids);
			else if (kind_makes(event[e].kind))
				writing->made[s] = id_make(worker, *n_ids);
		}
	}
}

/* What the task is called: by its own begin, or by who created it. */
static uint64_t id_of(const struct writing *writing, task_id task)
{
	strand_id creator = writing->run->dag->strand[writing->first[task]].pred;

	return writing->begun[task] ? writing->begun[task] : writing->made[creator];
}

/* Whether all that began has a name: else nobody saw it created. */
static bool all_have_ids(const struct writing *writing)
{
	const struct dag *dag = writing->run->dag;

	for (uint32_t i = 0; i < writing->n; i++) {
		task_id task = dag->strand[writing->order[i]].task;
		strand_id creator = dag->strand[writing->first[task]].pred;

		if (!writing->begun[task] && (creator == STRAND_NONE || !writing->made[creator]))
			return false;
	}
	return true;
}

/* ---- lines ---- */

static void put(const struct writing *writing, uint32_t worker, uint64_t ns, uint32_t kind,
		uint64_t b, uint64_t made)
{
	struct event event = { .units = ns, .b = b, .made = made, .kind = kind };

	text_event(writing->out, worker, &event);
}

/* The strand begins: by the event of the recording, with the ids that there are now. */
static void put_begin(struct writing *writing, strand_id s, const struct event *event)
{
	const struct dag *dag = writing->run->dag;
	const struct placed *placed = &writing->placed[s];
	task_id task = dag->strand[s].task;
	uint64_t id = id_of(writing, task), ns = placed->start_ns;
	strand_id before = dag->strand[s].pred;

	switch ((enum wire_kind)event->kind) {
	case WIRE_ROOT:
		put(writing, placed->worker, ns, WIRE_ROOT, 0, id);
		return;
	case WIRE_MEMBER:
		put(writing, placed->worker, ns, WIRE_MEMBER, writing->made[before], id);
		return;
	case WIRE_RESUME:
		put(writing, placed->worker, ns, WIRE_RESUME, id, 0);
		if (before != STRAND_NONE && writing->placed[before].worker != placed->worker)
			put(writing, placed->worker, ns, WIRE_MOVED, 0, 0);
		return;
	default:
		put(writing, placed->worker, ns, WIRE_BEGIN, id, 0);
	}
}

static void put_collapsed_field(const struct writing *writing, uint32_t worker, unsigned field,
				uint64_t value)
{
	if (value)
		put(writing, worker, 0, WIRE_COLLAPSED, collapsed_make(field, value), 0);
}

/* What the dag knows of the collapsed tasks: in ns, and without rounding. */
static void put_virtual_collapsed(const struct writing *writing, strand_id s, uint64_t n_made)
{
	const struct collapsed *of = dag_collapsed(writing->run->dag, s);
	uint32_t worker = writing->placed[s].worker;
	struct {
		unsigned field;
		uint64_t value;
	} one[] = { { WIRE_COLLAPSED_MADE, n_made },	  { WIRE_COLLAPSED_OWN, of->own_ns },
		    { WIRE_COLLAPSED_WORK, of->work_ns }, { WIRE_COLLAPSED_SPAN, of->span_ns },
		    { WIRE_COLLAPSED_PATH, of->path_ns }, { WIRE_COLLAPSED_CHAIN, of->chain },
		    { WIRE_COLLAPSED_TASKS, of->n_tasks } };

	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
		put_collapsed_field(writing, worker, one[i].field, one[i].value);
	for (unsigned i = 0; i <= EDGE_JOIN; i++) {
		put_collapsed_field(writing, worker, WIRE_COLLAPSED_NEXT + i, of->next_ns[0][i]);
		put_collapsed_field(writing, worker, WIRE_COLLAPSED_MORE + i, of->next_ns[1][i]);
	}
	for (unsigned i = 0; i <= EDGE_CREATE_CONT; i++)
		put_collapsed_field(writing, worker, WIRE_COLLAPSED_READY + i, of->ready_ns[i]);
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		put_collapsed_field(writing, worker, WIRE_COLLAPSED_IDLE + k, of->idle_ns[k]);
		put_collapsed_field(writing, worker, WIRE_COLLAPSED_BUSY + k, of->busy_ns[k]);
	}
	put_collapsed_field(writing, worker, WIRE_COLLAPSED_JOIN_SPAN, of->join_span_ns);
	put_collapsed_field(writing, worker, WIRE_COLLAPSED_JOIN_CHAIN, of->join_chain);
	put_collapsed_field(writing, worker, WIRE_COLLAPSED_CREATED, of->n_created);
	put_collapsed_field(writing, worker, WIRE_COLLAPSED_WAITED, of->n_waited);
}

static bool is_left_out(uint32_t kind)
{
	return kind == WIRE_LOST || kind == WIRE_SINCE || kind == WIRE_UNTIL ||
	       kind == WIRE_NEXT_ID || kind == WIRE_TRACER || kind == WIRE_MOVED ||
	       kind == WIRE_DISCARD || kind == WIRE_DISCARD_NAMED || kind == WIRE_COLLAPSED ||
	       kind == WIRE_TALLY || kind == WIRE_SIGNAL_BY;
}

/* Whether the task of that recorded id was discarded, by the id or a name. */
static bool is_discarded(const struct writing *writing, uint64_t id)
{
	const struct dag *dag = writing->run->dag;
	uint32_t task = ids_of(dag->ids, id);

	return writing->events.discards && !(task & MADE_TEAM) &&
	       dag->task_state[task] & TASK_CANCELLED;
}

/* Once the task has ended, whoever said it in the recorded run. */
static void put_releases(const struct writing *writing, strand_id s)
{
	const struct placed *placed = &writing->placed[s];
	uint64_t n;
	const struct virtual_release *release =
		virtual_releases_of(&writing->events, writing->run->dag->strand[s].task, &n);

	for (uint64_t i = 0; i < n; i++) {
		put(writing, placed->worker, placed->end_ns, WIRE_SIGNAL_BY, release[i].name, 0);
		put(writing, placed->worker, 0, WIRE_OBJECT, release[i].object, 0);
	}
}

static void put_strand(struct writing *writing, strand_id s)
{
	const struct placed *placed = &writing->placed[s];
	uint32_t n;
	const struct event *event = virtual_events_of(&writing->events, s, &n);
	bool ended = false, discarded = false;

	put_begin(writing, s, event);
	if (dag_collapsed(writing->run->dag, s))
		put_virtual_collapsed(writing, s, virtual_collapsed_ids(event, n));
	for (uint32_t e = 1; e < n; e++) {
		uint64_t made = kind_makes(event[e].kind) ? writing->made[s] : 0;
		uint64_t ns = kind_timed(event[e].kind) ? placed->end_ns : 0;

		if (is_left_out(event[e].kind) ||
		    (event[e].kind == WIRE_OBJECT && event[e - 1].kind == WIRE_SIGNAL_BY))
			continue;
		ended |= kind_ends(event[e].kind);
		put(writing, placed->worker, ns, event[e].kind, event[e].b, made);
		if (event[e].kind == WIRE_END)
			put_releases(writing, s);
		discarded |= made && is_discarded(writing, event[e].made);
	}
	if (discarded) /* whenever it was: nothing waits for it */
		put(writing, placed->worker, placed->end_ns, WIRE_DISCARD, writing->made[s], 0);
	if (!ended) /* the recording was over before */
		put(writing, placed->worker, placed->end_ns, WIRE_END, 0, 0);
}

/* A sum that is too large for one event is written in several. */
static void put_tally(const struct writing *writing, site_id site, uint32_t part, uint64_t value)
{
	do {
		uint64_t some = value < WIRE_TALLY_MOST ? value : WIRE_TALLY_MOST;

		put(writing, 0, 0, WIRE_TALLY, tally_make(site, part, some), 0);
		value -= some;
	} while (value);
}

static void put_tallies(const struct writing *writing)
{
	const struct dag *dag = writing->run->dag;

	for (kind_id kind = 0; kind < dag->n_kinds; kind++) {
		const struct kind_collapsed *of = dag->kind_collapsed[kind];
		site_id site = dag->kind_site[kind];

		if (!of || site == SITE_NONE)
			continue;
		put_tally(writing, site, WIRE_TALLY_TASKS, of->n_tasks);
		put_tally(writing, site, WIRE_TALLY_WORK, of->work_ns);
		put_tally(writing, site, WIRE_TALLY_READY, of->ready_ns);
		put_tally(writing, site, WIRE_TALLY_MIN, at_most(WIRE_TALLY_MOST, of->least_ns));
		put_tally(writing, site, WIRE_TALLY_MAX, at_most(WIRE_TALLY_MOST, of->most_ns));
		for (uint32_t k = 0; k < WIRE_BUCKETS; k++)
			if (of->n_by_work[k])
				put_tally(writing, site, WIRE_TALLY_BY_WORK + k, of->n_by_work[k]);
	}
	if (dag->n_collapsed_waits)
		put_tally(writing, 0, WIRE_TALLY_WAITS, dag->n_collapsed_waits);
}

/* ---- definitions ---- */

static void put_metas(const struct writing *writing, const struct defs *defs)
{
	static const char *const kept[] = { "exe", "command", "host", "machine", "param" };
	char *room;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const char *value = defs_meta(defs, kept[i]);

		room = value ? xmalloc(3 * strlen(value) + 1) : NULL;
		if (room)
			fprintf(writing->out, "meta %s %s\n", kept[i], lines_escape(room, value));
		free(room);
	}
	fprintf(writing->out, "meta simulated %s\n", writing->run->policy);
}

static void put_definitions(const struct writing *writing)
{
	const struct defs *defs = reader_defs(writing->run->reader);
	struct lines lines = { 0 };

	fputs(TEXT_FIRST_WORDS TEXT_VERSION "\nclock ns\n", writing->out);
	put_metas(writing, defs);
	for (uint32_t r = 0; r < defs->n_runtimes; r++) {
		const struct defs_runtime *runtime = &defs->runtime[r];
		char name[256] = "", version[256] = "";

		if (runtime->name && strlen(runtime->name) < 80)
			lines_escape(name, runtime->name);
		if (runtime->version && strlen(runtime->version) < 80)
			lines_escape(version, runtime->version);
		fprintf(writing->out, "runtime %u name=%s version=%s workers=%u\n", r, name,
			version, writing->run->n_workers);
	}
	defs_put_all(&lines, defs, DEFS_MODULE);
	defs_put_all(&lines, defs, DEFS_SITE);
	lines_pour(&lines, writing->out);
	fputs(writing->run->name_lines, writing->out);
}

/* ---- all of it ---- */

/* Strands that took another time cannot be what collapsed tasks say of themselves. */
static int refuse(const struct virtual_run *run, const char *path, struct err *err)
{
	for (strand_id s = 0; s < run->dag->n_strands; s++)
		if (dag_collapsed(run->dag, s) &&
		    run->placed[s].end_ns - run->placed[s].start_ns != dag_length(run->dag, s))
			return err_set(err, EINVAL,
				       "%s: cannot show collapsed tasks with changed times; record "
				       "with --collapse off",
				       path);
	return 0;
}

static void allocate(struct writing *writing)
{
	const struct dag *dag = writing->run->dag;
	size_t n = dag->n_strands + 1ull;

	writing->placed = xmalloc(n * sizeof(*writing->placed));
	writing->order = xmalloc(n * sizeof(*writing->order));
	writing->made = xcalloc(n, sizeof(*writing->made));
	writing->begun = xcalloc(dag->n_tasks + 1ull, sizeof(*writing->begun));
	writing->first = xcalloc(dag->n_tasks + 1ull, sizeof(*writing->first));
	writing->n_ids = xcalloc(writing->run->n_workers, sizeof(*writing->n_ids));
}

static int write_text(struct writing *writing, char **text, size_t *bytes, struct err *err)
{
	writing->out = xopen_memstream(text, bytes);
	place(writing);
	find_order(writing);
	give_ids(writing);
	if (!all_have_ids(writing)) {
		xclose_memstream(writing->out);
		return err_set(err, EINVAL, "the creation of some tasks was not recorded");
	}
	put_definitions(writing);
	for (uint32_t i = 0; i < writing->n; i++)
		put_strand(writing, writing->order[i]);
	put_tallies(writing);
	xclose_memstream(writing->out);
	return 0;
}

int virtual_write(const struct virtual_run *run, int fd, const char *path, struct err *err)
{
	struct writing writing = { .run = run };
	char *text = NULL;
	size_t bytes = 0;
	int error = refuse(run, path, err) ?:
		    virtual_events_read(&writing.events, run->reader, run->dag, err);

	if (!error) {
		allocate(&writing);
		error = write_text(&writing, &text, &bytes, err) ?:
			text_load(text, bytes, path, fd, path, err);
	} else {
		close(fd);
	}
	free(text);
	virtual_events_free(&writing.events);
	free(writing.placed);
	free(writing.order);
	free(writing.made);
	free(writing.begun);
	free(writing.first);
	free(writing.n_ids);
	return error;
}

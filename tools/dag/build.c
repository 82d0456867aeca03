/* SPDX-License-Identifier: MIT */
/* build.c - from events to strands and edges, in one pass over all events in order of time. */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "tools/trace/reader.h"
#include "tools/base/xalloc.h"
#include "tools/dag/effects.h"
#include "tools/dag/collapsed_tasks.h"
#include "tools/dag/notes.h"
#include "tools/dag/runtimes.h"
#include "tools/dag/kind.h"
#include "tools/dag/width.h"
#include "tools/dag/state.h"
#include "tools/dag/wait_rules.h"

/* Whether the strand ended with a suspension of which no task knows. */
static bool ends_idle(const struct dag *dag, strand_id s)
{
	unsigned ended_by = dag->how[s] & STRAND_ENDED_BY;
	const struct dag_wait *wait = dag_wait_of(dag, s);

	return ended_by == WIRE_YIELD || (ended_by == WIRE_WAIT && wait && wait_blocks(wait->what));
}

/* Whether a root goes on after such a suspension, up to another one or to the end of the trace. */
static bool is_idle(const struct dag *dag, strand_id s)
{
	strand_id before = dag->strand[s].pred;
	bool ends = (dag->how[s] & STRAND_ENDED_BY) != WIRE_NONE && !ends_idle(dag, s);

	return !ends && !dag_is_node(dag, s) && dag_kind(dag, s) == KIND_OF_ROOTS &&
	       before != STRAND_NONE && !(dag->how[s] & (STRAND_EXTRA | STRAND_FIRST)) &&
	       dag->strand[before].task == dag->strand[s].task && ends_idle(dag, before);
}

/* Whether what follows the strand is dropped. */
static bool is_last(const struct state *state, strand_id s)
{
	const struct dag *dag = state->dag;

	return !dag_is_node(dag, s) && dag_kind(dag, s) == KIND_OF_ROOTS && ends_idle(dag, s) &&
	       state->task_last[dag->strand[s].task] == s;
}

/* A root's last strand ends with the window, unless the root waits by then. */
static void cut_strand(struct state *state, strand_id s)
{
	struct dag *dag = state->dag;

	if (dag_end(dag, s) < dag->elapsed_ns)
		return;
	dag->how[s] &= (uint8_t)~STRAND_ENDED_BY;
	dag_set_wait(dag, s, 0);
	state_set_end(state, s, dag->elapsed_ns);
}

static void cut_objects(struct dag *dag)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_objects; i++)
		if (dag->object[i].strand < dag->n_strands &&
		    (dag->how[dag->object[i].strand] & STRAND_ENDED_BY) != WIRE_NONE)
			dag->object[n++] = dag->object[i];
	dag->n_objects = n;
}

/* What held a worker up to a strand or a suspension that is dropped is, too; or in the strand. */
static void cut_holds(struct dag *dag, bool is_cut)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_holds; i++) {
		const struct hold *hold = &dag->hold[i];
		strand_id s = hold->strand;

		if (s != STRAND_NONE &&
		    (s >= dag->n_strands || (is_cut && hold->after && hold->ns >= dag->elapsed_ns &&
					     (dag->how[s] & STRAND_ENDED_BY) == WIRE_NONE)))
			dag->held_ns -= hold->length_ns;
		else if (!hold->works)
			dag->hold[n++] = *hold;
	}
	dag->n_holds = n;
}

/*
 * After the last event: drops the trailing strands of roots that nothing led to but the root's own
 * yield, or its wait for a lock or a thread, and ends the window before them.
 */
static void window_cut(struct state *state)
{
	struct dag *dag = state->dag;
	strand_id end = dag->n_strands;
	uint64_t end_ns = 0;
	bool has_tasks = false;

	while (end && is_idle(dag, end - 1)) {
		end--;
		state->task_last[dag->strand[end].task] = dag->strand[end].pred;
	}
	if (end == dag->n_strands)
		return;
	for (strand_id s = 0; s < end; s++) {
		uint64_t ns = is_last(state, s) ? dag_start(dag, s) : dag_end(dag, s);

		has_tasks |= !dag_is_node(dag, s) && dag_kind(dag, s) != KIND_OF_ROOTS;
		if (ns > end_ns)
			end_ns = ns;
	}
	for (; end < dag->n_strands && (!has_tasks || dag_start(dag, end) <= end_ns); end++)
		state->task_last[dag->strand[end].task] = end;
	if (end == dag->n_strands)
		return;
	dag->n_strands = end;
	dag->elapsed_ns = end_ns;
	for (strand_id s = 0; s < end; s++)
		if (is_last(state, s))
			cut_strand(state, s);
	cut_objects(dag);
}

struct build {
	struct merge merge;
	struct state state;
	struct kinds kinds;
	struct depend depend;
	struct join join;
	struct gaps gaps;
	struct held held;
	struct tallies tallies;
	struct effects events;
	bool begun; /* there was a timed event */
};

static int open_floors(struct build *build, struct dag *dag, const struct reader *reader,
		       bool by_cause, struct err *err)
{
	struct state *state = &build->state;
	int error = merge_open(&build->merge, reader, by_cause, err);

	if (error)
		return error;
	state_open(state, dag, reader, &build->merge, &build->merge.n_steps, err);
	state->prefault = &build->merge.prefault;
	depend_open(&build->depend, state);
	kind_open(&build->kinds, state);
	join_open(&build->join, state, &build->depend);
	gap_open(&build->gaps, state, &build->kinds, &build->join);
	held_open(&build->held, state);
	build->tallies.state = state;
	build->events = (struct effects){ .state = state,
					  .kinds = &build->kinds,
					  .depend = &build->depend,
					  .join = &build->join,
					  .gaps = &build->gaps,
					  .held = &build->held,
					  .tallies = &build->tallies,
					  .empty = TASK_NONE };
	build->merge.rank = effects_rank;
	build->merge.context = &build->events;
	return 0;
}

static void free_floors(struct build *build)
{
	tally_free(&build->tallies);
	held_free(&build->held);
	gap_free(&build->gaps);
	join_free(&build->join);
	depend_free(&build->depend);
	kind_free(&build->kinds);
	state_free(&build->state);
	merge_close(&build->merge);
}

/* ---- reading ---- */

/* The time of the event at hand. */
static inline void note_time(struct state *state, struct lane *lane)
{
	state->dag->n_events++;
	if (state->ns > state->last_ns)
		state->last_ns = state->ns;
	lane->last_ns = state->ns;
}

/* The worker's first event, or one before which something was noted. */
static int read_noted(struct build *build, struct lane *lane)
{
	struct state *state = &build->state;
	bool timed = kind_timed(state->event->kind);
	int error;

	if (timed && !build->begun)
		state->dag->begin_ns = state->ns;
	build->begun |= timed;
	lane->has_event |= timed;
	if (held_noted(&build->held))
		held_before(&build->held);
	if (timed && gap_before(&build->gaps))
		gap_over(&build->gaps);
	error = effects_apply(&build->events);
	if (error)
		return error;
	if (build->held.ties)
		held_after(&build->held);
	if (timed)
		build->gaps.lane[state->worker].after_gap = false;
	lane->noted = !lane->has_event || held_noted(&build->held) || gap_before(&build->gaps);
	return 0;
}

static inline int read_event(struct build *build)
{
	struct state *state = &build->state;
	struct lane *lane = &state->lane[state->worker];
	int error;

	if (kind_timed(state->event->kind))
		note_time(state, lane);
	error = lane->noted ? read_noted(build, lane) : effects_apply(&build->events);
	if (error)
		return error;
	if (build->merge.n_steps > STEPS_FREE + STEPS_AN_EVENT * state->dag->n_events)
		return state_too_large(state, "things that wait for one another");
	return 0;
}

/*
 * Strands that are still open: a root's ends with what was last seen of its worker; so does one of
 * a worker whose later events may be missing.
 */
static void close_open(struct state *state)
{
	struct dag *dag = state->dag;
	uint64_t sure_ns = reader_facts(state->reader)->sure_ns;
	uint64_t open_ns = sure_ns < state->last_ns ? sure_ns : state->last_ns;

	for (uint32_t w = 0; w < state->n_lanes; w++) {
		const struct lane *lane = &state->lane[w];

		if (lane->open == STRAND_NONE)
			continue;
		bool root = dag->task_kind[lane->task] == KIND_OF_ROOTS;

		state_set_end(state, lane->open,
			      (root || open_ns < lane->last_ns ? lane->last_ns : open_ns) -
				      dag->begin_ns);
	}
}

/* For losses.c: whether it is in the window or not. */
static inline void count_made(struct dag *dag, const struct event *event)
{
	dag->n_made += tasks_made(event->kind, event->b);
}

/* Later events that the file has count for nothing, but they are there. */
static void pass_over(struct build *build)
{
	struct state *state = &build->state;
	struct err ignored;

	do {
		count_made(state->dag, state->event);
		if (state->event->kind == WIRE_TALLY)
			tally_event(&build->tallies);
	} while (merge_next(&build->merge, &state->event, &state->ns, &ignored) > 0);
}

static int read_events(struct build *build)
{
	struct state *state = &build->state;
	struct dag *dag = state->dag;
	uint64_t whole_ns = reader_facts(state->reader)->whole_ns;
	int got;

	while ((got = merge_next(&build->merge, &state->event, &state->ns, state->err)) > 0) {
		int error;

		if (state->ns > whole_ns) {
			pass_over(build);
			got = 0;
			break;
		}
		count_made(dag, state->event);
		if (state->ns - dag->begin_ns >= WINDOW_MAX_NS && build->begun)
			return state_too_long(state);
		state->worker = build->merge.worker;
		error = read_event(build);
		if (error)
			return error;
	}
	if (build->begun)
		dag->elapsed_ns = state->last_ns - dag->begin_ns;
	return got < 0 ? got : 0;
}

/* ---- at the end ---- */

/* What was cancelled nobody said: all that never began. */
static void cancel_unbegun(const struct state *state)
{
	struct dag *dag = state->dag;

	for (task_id t = 0; t < dag->n_tasks; t++)
		if (!(dag->task_state[t] & TASK_BEGUN)) {
			dag->task_state[t] |= TASK_CANCELLED;
			dag->n_cancelled++;
		}
}

/* The dag has the ids from now on. */
static void keep_ids(struct state *state)
{
	struct ids *ids = xmalloc(sizeof(*ids));

	*ids = state->ids;
	state->ids = (struct ids){ 0 };
	state->dag->ids = ids;
}

static int finish(struct build *build)
{
	struct state *state = &build->state;
	struct dag *dag = state->dag;
	strand_id n;
	int error;

	held_finish(&build->held);
	close_open(state);
	messages_time(state);
	n = dag->n_strands;
	window_cut(state);
	object_sort(state);
	cut_holds(dag, dag->n_strands < n);
	messages_cut(dag);
	count_finish(state);
	collapsed_settle(state);
	error = tally_kinds(&build->tallies, &build->kinds);
	if (!error) {
		kind_sort(&build->kinds);
		error = tally_read(&build->tallies);
	}
	if (error)
		return error;
	runtime_find(state);
	keep_ids(state);
	gap_finish(dag);
	if (state->cancelled && !state->discarded)
		cancel_unbegun(state);
	dag->n_slots = state->n_lanes;
	width_find(dag, reader_defs(state->reader));
	if (dag->elapsed_ns && dag->n_workers > UINT64_MAX / dag->elapsed_ns)
		return err_set(state->err, EPROTO, "%s: invalid: %u workers over %" PRIu64 " ns",
			       reader_facts(state->reader)->path, dag->n_workers, dag->elapsed_ns);
	return 0;
}

/* From when on events may be missing anywhere: where, it did not come to say.  UINT64_MAX: never.
 */
static uint64_t lossy_ns(const struct reader *reader)
{
	const struct reader_facts *facts = reader_facts(reader);
	const char *lost = defs_meta(reader_defs(reader), "lost_events");

	if (defs_meta(reader_defs(reader), "unrecovered_rings") ||
	    defs_meta(reader_defs(reader), "unrecorded_calls") ||
	    defs_meta(reader_defs(reader), "unrecorded_threads") ||
	    (!facts->ended && lost && strcmp(lost, "0") != 0))
		return 0;
	return facts->sure_ns < facts->whole_ns ? facts->sure_ns : UINT64_MAX;
}

/* by_cause: merge_open()'s */
static int build_by(struct dag *dag, const struct reader *reader, bool by_cause, struct err *err)
{
	struct build build = { 0 };
	int error;

	*dag = (struct dag){ 0 };
	error = open_floors(&build, dag, reader, by_cause, err);
	build.state.lossy_ns = lossy_ns(reader);
	build.state.by_cause = by_cause;
	if (!error)
		error = read_events(&build) ?: finish(&build);
	dag->moved_ns = build.merge.streams.moved_ns;
	dag->moved_at_ns = build.merge.streams.moved_at_ns;
	free_floors(&build);
	malloc_trim(0);
	if (error)
		dag_free(dag);
	return error;
}

/*
 * Where the order of times makes no sense, the workers' clocks may not agree: the order of causes
 * may.  Times that somebody wrote by hand are as they are.
 */
int dag_build(struct dag *dag, const struct reader *reader, struct err *err)
{
	const char *before = memory_for(reader_facts(reader)->path);
	const char *clock = reader_defs(reader)->clock;
	struct err unused;
	int error = build_by(dag, reader, false, err);

	if (error == -EPROTO && clock && strcmp(clock, "ns") != 0 &&
	    build_by(dag, reader, true, &unused) == 0)
		error = 0;
	memory_for(before);
	return error;
}

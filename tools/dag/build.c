/* SPDX-License-Identifier: MIT */
/* build.c - from events to strands and edges, in one pass over all events in order of time. */
#include "tools/dag/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/reader.h"
#include "collector/text.h"
#include "tools/dag/held.h"
#include "tools/dag/merge.h"
#include "tools/dag/width.h"

#define ID_WORKER(id) ((uint32_t)((id) >> WIRE_ID_WORKER_SHIFT))
#define ID_N(id) ((id) & ((UINT64_C(1) << WIRE_ID_WORKER_SHIFT) - 1))

int build_contradicts(struct build *build, const char *format, ...)
{
	const char *refused = defs_meta(reader_defs(build->reader), "unrecorded_threads");
	char what[160], line[160] = "";
	FILE *out = fmemopen(line, sizeof(line) - 1, "w");
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (out) {
		text_event(out, build->worker, build->event);
		fclose(out);
	}
	line[strcspn(line, "\n")] = 0;
	return err_set(build->err, EPROTO, "%s: event `%s` contradicts the trace: %s%s",
		       reader_facts(build->reader)->path, line, what,
		       refused ? "; threads were not recorded, as there was no memory, which may be why"
			       : "");
}

int build_no_memory(struct build *build)
{
	return err_set(build->err, ENOMEM, "%s: not enough memory for its graph",
		       reader_facts(build->reader)->path);
}

int build_too_large(struct build *build, const char *what)
{
	return err_set(build->err, EFBIG, "%s: has too many %s for its %" PRIu64 " events",
		       reader_facts(build->reader)->path, what, build->dag->n_events);
}

int build_edge(struct build *build, strand_id from)
{
	struct dag *dag = build->dag;

	if (!build_may_link(build, dag->n_extras))
		return build_too_large(build, "edges");
	if (build_lossy(build) && build_is_open(build, from))
		return 0; /* its end is missing */
	if (dag->n_extras == UINT32_MAX ||
	    !array_grow(&dag->extra, &build->extra_room, (uint64_t)dag->n_extras + 1,
			sizeof(*dag->extra)))
		return build_no_memory(build);
	dag->extra[dag->n_extras++] = (struct extra){ build->newest, from };
	dag->how[build->newest] |= STRAND_EXTRA;
	return 0;
}

bool build_is_open(const struct build *build, strand_id s)
{
	const struct dag *dag = build->dag;

	return build->lane[dag->strand[s].worker].open == s ||
	       dag_end(dag, s) > build->ns - dag->begin_ns;
}

int build_edges_from_task(struct build *build, task_id task)
{
	const uint64_t *signaller;
	int error = build_edge(build, build->task_last[task]);

	if (error || !(build->task_flags[task] & BUILD_SIGNALLED))
		return error;
	signaller = table_find(&build->done_by, task);
	return signaller ? build_edge(build, (strand_id)*signaller) : 0;
}

task_id build_named(const struct build *build, uint64_t name)
{
	const uint64_t *task = table_find(&build->by_name, name);

	return task && *task ? (task_id)(*task - 1) : TASK_NONE;
}

bool build_complete(const struct build *build, task_id task)
{
	uint8_t flags = build->task_flags[task];

	return build->dag->task_state[task] & TASK_ENDED &&
	       (!(flags & BUILD_HANDLE) || flags & BUILD_SIGNALLED);
}

/* ---- tasks ---- */

static bool grow_by_task(struct build *build, uint64_t n)
{
	struct dag *dag = build->dag;
	struct {
		void *array;
		size_t bytes;
	} all[] = {
		{ &dag->task_kind, sizeof(*dag->task_kind) },
		{ &dag->task_state, sizeof(*dag->task_state) },
		{ &build->task_last, sizeof(*build->task_last) },
		{ &build->task_slot, sizeof(*build->task_slot) },
		{ &build->task_flags, sizeof(*build->task_flags) },
	};
	uint64_t room = build->task_room;

	if (n <= room)
		return true;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		room = build->task_room;
		if (!array_grow(all[i].array, &room, n, all[i].bytes))
			return false;
	}
	build->task_room = room;
	return true;
}

int build_kind(struct build *build, uint64_t site, enum kind_what what, uint32_t *kind)
{
	struct dag *dag = build->dag;
	uint64_t index = what == KIND_ROOT ? 0 : site + 1;

	if (index > DEFS_SITES_MAX)
		return build_contradicts(build, "there is no site %" PRIu64, site);
	if (!array_grow(&dag->kind_what, &build->kind_room, index + 1, 1))
		return build_no_memory(build);
	while (dag->n_kinds <= index)
		dag->kind_what[dag->n_kinds++] = KIND_TASK;
	dag->kind_what[index] = (uint8_t)what;
	*kind = (uint32_t)index;
	return 0;
}

int build_task(struct build *build, uint32_t kind, strand_id last, uint32_t scope, uint8_t flags,
	       task_id *out)
{
	struct dag *dag = build->dag;
	task_id task = dag->n_tasks;

	if (task >= MADE_TEAM - 1 || !grow_by_task(build, (uint64_t)task + 1))
		return build_no_memory(build);
	dag->task_kind[task] = kind;
	dag->task_state[task] = 0;
	build->task_last[task] = last;
	build->task_slot[task] = scope;
	build->task_flags[task] = flags;
	dag->n_tasks++;
	*out = task;
	return 0;
}

static int note_made(struct build *build, uint32_t value)
{
	struct lane *lane = &build->lane[ID_WORKER(build->event->made)];
	uint64_t n = ID_N(build->event->made);
	struct id_range *last = lane->n_ranges ? &lane->range[lane->n_ranges - 1] : NULL;

	if (last && n < last->first + last->n)
		return build_contradicts(build, "its id was given out before");
	if (!array_grow(&lane->of_id, &lane->id_room, lane->n_of_id + 1, sizeof(*lane->of_id)))
		return build_no_memory(build);
	if (!last || n != last->first + last->n) { /* those between are missing */
		if (!array_grow(&lane->range, &lane->range_room, lane->n_ranges + 1,
				sizeof(*lane->range)))
			return build_no_memory(build);
		last = &lane->range[lane->n_ranges++];
		*last = (struct id_range){ .first = n, .at = lane->n_of_id };
	}
	last->n++;
	lane->of_id[lane->n_of_id++] = value;
	return 0;
}

/* The last range of the lane that does not begin after n; NULL if there is none. */
static const struct id_range *range_of(const struct lane *lane, uint64_t n)
{
	uint64_t low = 0, high = lane->n_ranges;

	if (high && lane->range[high - 1].first <= n)
		return &lane->range[high - 1];
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (lane->range[middle].first <= n)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &lane->range[low - 1] : NULL;
}

/* Where it is kept what an event made that gave out that id; NULL if none did. */
static uint32_t *of_made(const struct build *build, uint64_t id)
{
	const struct id_range *range = NULL;

	if (ID_WORKER(id) < build->n_lanes)
		range = range_of(&build->lane[ID_WORKER(id)], ID_N(id));
	if (!range || ID_N(id) - range->first >= range->n)
		return NULL;
	return &build->lane[ID_WORKER(id)].of_id[range->at + ID_N(id) - range->first];
}

/* What an id stands for: a task, a team | MADE_TEAM, or NONE. */
static uint32_t made_by(const struct build *build, uint64_t id)
{
	const uint32_t *of_id = of_made(build, id);
	const uint64_t *found;

	if (of_id)
		return *of_id;
	found = table_find(&build->found, id);
	return found && *found ? (uint32_t)(*found - 1) : NONE;
}

static int new_live(struct build *build, task_id task, uint32_t team)
{
	uint32_t index = build->free_live, home = build->task_slot[task];
	struct scope *scope = &build->scope[home];
	strand_id creator = build->task_last[task];

	if (index != NONE) {
		build->free_live = build->live[index].next_free;
	} else {
		if (!array_grow(&build->live, &build->live_room, build->n_live + 1,
				sizeof(*build->live)))
			return build_no_memory(build);
		index = (uint32_t)build->n_live++;
	}
	build->live[index] =
		(struct live){ .task = task,
			       .parent = creator == STRAND_NONE ? TASK_NONE
								: build->dag->strand[creator].task,
			       .scope = scope->bag ? scope->outer : home,
			       .home = home,
			       .children = { NONE, NONE },
			       .team = team,
			       .team_next = NONE,
			       .team_prev = NONE,
			       .created = TASK_NONE,
			       .meeting = NONE,
			       .met = STRAND_NONE,
			       .named = TASK_NONE,
			       .preds = NONE,
			       .depends = NONE };
	scope->n_running++;
	build->task_slot[task] = index;
	if (team != NONE) {
		uint32_t next = build->team[team].last_member;

		build->live[index].team_next = next;
		if (next != NONE)
			build->live[next].team_prev = index;
		build->team[team].last_member = index;
	}
	return 0;
}

static void free_live(struct build *build, uint32_t index)
{
	struct live *live = &build->live[index];

	if (live->team != NONE) {
		if (live->team_prev == NONE)
			build->team[live->team].last_member = live->team_next;
		else
			build->live[live->team_prev].team_next = live->team_next;
		if (live->team_next != NONE)
			build->live[live->team_next].team_prev = live->team_prev;
	}
	build->scope[live->home].n_running--;
	depend_close(build, live);
	live->next_free = build->free_live;
	build->free_live = index;
}

/* ---- strands ---- */

int build_set_end(struct build *build, strand_id s, uint64_t ns)
{
	struct dag *dag = build->dag;
	uint64_t length = ns - dag_start(dag, s);
	uint64_t *kept;

	if (length < STRAND_LONG) {
		dag->strand[s].length = (uint32_t)length;
		return 0;
	}
	dag->strand[s].length = STRAND_LONG;
	kept = table_put(&dag->lengths, s);
	if (!kept)
		return build_no_memory(build);
	*kept = length;
	return 0;
}

int build_strand(struct build *build, const struct strand *strand, uint8_t flags)
{
	struct dag *dag = build->dag;
	uint64_t room = build->strand_room;

	if (dag->n_strands == STRAND_NONE ||
	    !array_grow(&dag->how, &room, dag->n_strands + 1ull, sizeof(*dag->how)) ||
	    !array_grow(&dag->strand, &build->strand_room, dag->n_strands + 1ull,
			sizeof(*dag->strand)))
		return build_no_memory(build);
	build->newest = dag->n_strands++;
	dag->strand[build->newest] = *strand;
	dag->how[build->newest] = flags;
	return 0;
}

/* Opens a strand of the task on the worker at hand; its edges are to be added next. */
static int begin_strand(struct build *build, task_id task)
{
	struct dag *dag = build->dag;
	struct lane *lane = &build->lane[build->worker];
	uint64_t ns = build->ns - dag->begin_ns;
	bool first = !(dag->task_state[task] & TASK_BEGUN);
	struct strand strand = { .start_low = (uint32_t)ns,
				 .start_high = (uint16_t)(ns >> 32),
				 .task = task,
				 .worker = (uint16_t)build->worker,
				 .pred = build->task_last[task] };

	if (lane->open != STRAND_NONE && gap_unrecorded(build) < 0)
		return build->err->code;
	if (strand.pred != STRAND_NONE && build_lossy(build) && build_is_open(build, strand.pred))
		return build_contradicts(build, "the task runs elsewhere then");
	if (build_strand(build, &strand, first ? STRAND_FIRST : 0) < 0)
		return -ENOMEM;
	if (first) {
		dag->task_state[task] |= TASK_BEGUN;
		dag->n_begun++;
	}
	lane->open = lane->newest = build->newest;
	lane->begun_by = build->event->kind;
	lane->task = task;
	build->task_last[task] = build->newest;
	return 0;
}

static int end_strand_of(struct build *build, struct lane *lane, enum wire_kind kind,
			 struct live **live)
{
	if (build_set_end(build, lane->open, build->ns - build->dag->begin_ns) < 0)
		return -ENOMEM;
	if (!lane->ended_early && !hidden_fits(build, lane->open, kind))
		return build_contradicts(build, "what the task before it hides cannot be");
	build->dag->how[lane->open] |= (uint8_t)kind;
	lane->open = STRAND_NONE;
	lane->detailed = TASK_NONE;
	*live = build_live(build, lane->task);
	(*live)->ended_by = (uint8_t)kind;
	return 0;
}

static int end_strand(struct build *build, struct live **live)
{
	struct lane *lane = &build->lane[build->worker];

	if (lane->open == STRAND_NONE)
		return build_contradicts(build, "worker %u runs nothing then", build->worker);
	return end_strand_of(build, lane, (enum wire_kind)build->event->kind, live);
}

/* ---- events ---- */

static int on_root(struct build *build)
{
	task_id task;
	uint32_t kind;
	int error = build_kind(build, 0, KIND_ROOT, &kind);

	if (!error)
		error = build_task(build, kind, STRAND_NONE, 0, 0, &task);
	if (!error)
		error = note_made(build, task);
	if (!error)
		error = new_live(build, task, NONE);
	return error ? error : begin_strand(build, task);
}

static int begin_task(struct build *build, task_id task)
{
	int error;

	if (build->dag->task_state[task] & TASK_BEGUN)
		return build_contradicts(build, "the task has begun already");
	if (build->task_flags[task] & BUILD_EMPTY)
		return build_contradicts(build, "the task is empty");
	if (build->dag->task_state[task] & TASK_CANCELLED)
		return build_contradicts(build, "the task was discarded");
	error = new_live(build, task, NONE);
	if (!error)
		error = begin_strand(build, task);
	if (!error && build->task_flags[task] & BUILD_DEPENDS)
		error = depend_edges(build, depend_preds(build, task), false);
	if (!error && build->task_flags[task] & BUILD_DEPENDS)
		error = depend_awaited(build, task);
	return error;
}

/* Whether a task's code can begin. */
static bool may_begin(const struct build *build, task_id task)
{
	return task != TASK_NONE && !(build->task_flags[task] & BUILD_EMPTY) &&
	       !(build->dag->task_state[task] & (TASK_BEGUN | TASK_CANCELLED));
}

/*
 * The task that the event's id stands for was taken for another one, by a name that was lost: the
 * id stands for a new one from here on, and of what that other one is nothing is known.
 */
static int made_again(struct build *build, task_id *task)
{
	struct dag *dag = build->dag;
	uint32_t *of_id = of_made(build, build->event->b);
	task_id other = *task;
	int error = gap_task(build, of_id ? 0 : build->event->b, task);

	if (error)
		return error;
	if (of_id)
		*of_id = *task;
	dag->n_found += dag->task_kind[other] != DAG_KIND_FOUND;
	dag->n_found -= dag->task_kind[*task] == DAG_KIND_FOUND &&
			dag->task_kind[other] != DAG_KIND_FOUND;
	dag->task_kind[*task] = dag->task_kind[other];
	return build_kind(build, DAG_KIND_FOUND - 1, KIND_TASK, &dag->task_kind[other]);
}

static int on_begin(struct build *build)
{
	task_id task = made_by(build, build->event->b);

	if (task == NONE && build_lossy(build)) {
		int error = gap_task(build, build->event->b, &task);

		if (error)
			return error;
	}
	if (task == NONE || task & MADE_TEAM)
		return build_contradicts(build, "no such task was created before");
	if (build_lossy(build) && !may_begin(build, task)) {
		int error = made_again(build, &task);

		if (error)
			return error;
	}
	return begin_task(build, task);
}

static int on_start(struct build *build)
{
	task_id task = build_named(build, build->event->b);
	int error;

	if (!may_begin(build, task) && build_lossy(build)) { /* the name has been used again */
		error = gap_task(build, 0, &task);
		if (error)
			return error;
	}
	if (task == TASK_NONE)
		return build_contradicts(build, "no task was given that name before");
	error = begin_task(build, task);
	if (error)
		return error;
	build_live(build, task)->by_name = build_lossy(build);
	return note_made(build, task);
}

/* Of a group that nobody saw forked. */
static int on_member_of_none(struct build *build)
{
	task_id task;
	int error = gap_task(build, 0, &task);

	if (!error)
		error = note_made(build, task);
	if (!error)
		error = new_live(build, task, NONE);
	return error ? error : begin_strand(build, task);
}

static int on_member(struct build *build)
{
	uint32_t number = made_by(build, build->event->b);
	struct team *team;
	uint8_t flags = 0;
	task_id task;
	uint32_t kind;
	int error;

	if (number == NONE && build_lossy(build))
		return on_member_of_none(build);
	if (number == NONE || !(number & MADE_TEAM))
		return build_contradicts(build, "no such group was forked before");
	number &= ~MADE_TEAM;
	team = &build->team[number];
	if (!(team->flags & WIRE_FORK_NOWAIT))
		flags |= BUILD_MEMBER;
	if (team->flags & WIRE_FORK_FINAL ||
	    (team->flags & WIRE_FORK_LOOP && build->task_flags[team->forker] & BUILD_FINAL))
		flags |= BUILD_FINAL;
	error = build_kind(build, team->site,
			   team->flags & WIRE_FORK_TEAM ? KIND_IMPLICIT : KIND_LOOP, &kind);
	if (!error)
		error = build_task(build, kind, team->fork, team->scope, flags, &task);
	if (!error)
		error = note_made(build, task);
	if (!error)
		error = new_live(build, task, flags & BUILD_MEMBER ? number : NONE);
	if (!error)
		error = begin_strand(build, task);
	if (!error && !(flags & BUILD_MEMBER)) {
		struct live *forker = build_live(build, team->forker);

		if (forker)
			forker->n_open++;
	}
	return error;
}

static bool is_running(const struct build *build, task_id task)
{
	strand_id last = build->task_last[task];

	return last != STRAND_NONE && build->lane[build->dag->strand[last].worker].open == last;
}

/* The runtime that tasks of a kind are of, as a bit; of roots none. */
static uint16_t runtime_of(const struct build *build, uint32_t kind)
{
	const struct defs *defs = reader_defs(build->reader);
	uint32_t runtime = kind - 1 < defs->n_sites ? defs->site[kind - 1].runtime : 0;

	return kind ? (uint16_t)(1u << runtime % DAG_RUNTIMES) : 0;
}

/* If a root created the task, it belongs to the task's runtime.  False if out of memory. */
static bool note_creation(struct build *build, strand_id creator, task_id task)
{
	struct dag *dag = build->dag;
	uint64_t *bits;

	if (creator == STRAND_NONE || dag_kind(dag, creator) != 0)
		return true;
	bits = table_put(&dag->root_runtimes, dag->strand[creator].task);
	if (bits)
		*bits |= runtime_of(build, dag->task_kind[task]);
	return bits != NULL;
}

/*
 * The task runs, and nobody saw how it came to: no edge leads to its strand.  But where recording
 * was stopped, which is outside of what is analysed, it follows its strand before.
 */
static int resume_from_nowhere(struct build *build, task_id task)
{
	struct live *live = build_live(build, task);
	bool follows =
		live && gap_was_asked_for(build) && !build_is_open(build, build->task_last[task]);
	int error = 0;

	if (live) {
		join_lost(build, live);
		join_forget(build, live);
	} else if (!note_creation(build, build->task_last[task], task)) {
		return build_no_memory(build);
	} else {
		error = new_live(build, task, NONE);
	}
	if (!follows)
		build->task_last[task] = STRAND_NONE;
	return error ? error : begin_strand(build, task);
}

/* What RESUME is of, where events are missing before. */
static int resumed(struct build *build, task_id *task)
{
	*task = made_by(build, build->event->b);
	if (!build_lossy(build))
		return 0;
	if (*task == NONE ||
	    (!(*task & MADE_TEAM) && !build_live(build, *task) && !may_begin(build, *task)))
		return *task == NONE ? gap_task(build, build->event->b, task)
				     : made_again(build, task);
	return 0;
}

static int on_resume(struct build *build)
{
	task_id task;
	struct live *live;
	int error = resumed(build, &task);

	if (error)
		return error;
	if (task == NONE || task & MADE_TEAM)
		return build_contradicts(build, "no such task was created before");
	live = build_live(build, task);
	if (!live && build_lossy(build))
		return resume_from_nowhere(build, task);
	if (!live)
		return build_contradicts(build, build->dag->task_state[task] & TASK_ENDED
							? "the task has ended already"
							: "the task has not begun");
	if (is_running(build, task) && live->by_name && !gap_is_untold(build, task)) {
		error = made_again(build, &task); /* another one had the name that it began by */
		return error ? error : resume_from_nowhere(build, task);
	}
	if (is_running(build, task))
		error = gap_elsewhere(build, task);
	if (error)
		return error;
	if (build_lossy(build) && (live->ended_by == WIRE_LOST || gap_hides(build, task)))
		return resume_from_nowhere(build, task);
	error = join_before_resume(build, live);
	if (!error)
		error = begin_strand(build, task);
	if (!error)
		error = join_resume(build, live);
	live->preds = NONE;
	return error;
}

static int on_create(struct build *build)
{
	uint64_t b = build->event->b;
	struct lane *lane = &build->lane[build->worker];
	strand_id strand = lane->open;
	struct live *live;
	uint8_t flags = 0;
	uint32_t kind;
	int error = end_strand(build, &live);

	if (b >> 32 & WIRE_TASK_UNDEFERRED)
		flags |= BUILD_UNDEFERRED;
	if (b >> 32 & WIRE_TASK_FINAL)
		flags |= BUILD_FINAL;
	if (b >> 32 & WIRE_TASK_EMPTY)
		flags |= BUILD_EMPTY;
	if (!error && build->task_flags[lane->task] & BUILD_FINAL)
		flags |= BUILD_UNDEFERRED | BUILD_FINAL;
	if (!error)
		error = build_kind(build, b & UINT32_MAX, KIND_TASK, &kind);
	if (!error)
		error = build_task(build, kind, strand, live->scope, flags, &live->created);
	if (error)
		return error;
	lane->detailed = live->created;
	lane->global = b >> 32 & WIRE_TASK_GLOBAL;
	if (flags & BUILD_EMPTY) {
		build->dag->task_state[live->created] |= TASK_EMPTY;
		build->empty = live->created;
	} else {
		live->n_open++;
	}
	return note_made(build, live->created);
}

/*
 * The empty task that was created last is complete, now that all is said of it: whoever joins it
 * joins what it depends on.
 */
static void complete_empty(struct build *build)
{
	task_id task = build->empty;
	task_id parent = build->dag->strand[build->task_last[task]].task;
	struct live *live = build_live(build, parent);

	build->empty = TASK_NONE;
	if (live)
		live->n_open++;
	join_complete(build, task, parent, build->task_slot[task]);
}

static int on_fork(struct build *build)
{
	uint64_t b = build->event->b;
	uint32_t flags = (uint32_t)(b >> 32);
	struct lane *lane = &build->lane[build->worker];
	struct team team = { .forker = lane->task,
			     .fork = lane->open,
			     .site = (uint32_t)b,
			     .flags = flags,
			     .done = { NONE, NONE },
			     .last_member = NONE };
	struct live *live;
	int error = end_strand(build, &live);

	if (error)
		return error;
	team.scope = flags & WIRE_FORK_NOWAIT ? live->scope
					      : join_open_scope(build, live->scope, TASK_NONE);
	if (team.scope == NONE || build->n_teams >= MADE_TEAM - 1 ||
	    !array_grow(&build->team, &build->team_room, build->n_teams + 1, sizeof(*build->team)))
		return build_no_memory(build);
	live->forked = (uint32_t)build->n_teams;
	build->team[build->n_teams++] = team;
	return note_made(build, live->forked | MADE_TEAM);
}

static int on_wait(struct build *build)
{
	struct live *live;
	int error = end_strand(build, &live);

	if (error)
		return error;
	live->wait = (uint8_t)(build->event->b >> 32);
	live->wait_ns = build->ns;
	live->has_object = false;
	build->lane[build->worker].global = build->event->b >> 32 & WIRE_WAIT_GLOBAL;
	if (live->wait == WIRE_WAIT_TEAM)
		live->episode++;
	return 0;
}

static int on_signal(struct build *build)
{
	strand_id strand = build->lane[build->worker].open;
	struct live *live;
	int error = end_strand(build, &live);
	const uint64_t *waiter;
	uint64_t *index, *done_by;

	if (error)
		return error;
	index = table_put(&build->by_object, build->event->b);
	if (!index || !array_grow(&build->signal, &build->signal_room, build->n_signals + 1,
				  sizeof(*build->signal)))
		return build_no_memory(build);
	if (build->n_signals == 0)
		build->n_signals = 1; /* 0 is none */
	if (*index == 0) {
		if (!array_grow(&build->signal, &build->signal_room, build->n_signals + 1,
				sizeof(*build->signal)))
			return build_no_memory(build);
		*index = build->n_signals++;
	}
	build->signal[*index] = (struct signal){ strand, build->ns, false };
	waiter = table_find(&build->handle, build->event->b);
	if (!waiter || *waiter == 0)
		return 0;
	task_id task = (task_id)(*waiter - 1);

	*table_put(&build->handle, build->event->b) = 0;
	build->signal[*index].claimed = true;
	done_by = table_put(&build->done_by, task);
	if (!done_by)
		return build_no_memory(build);
	*done_by = strand;
	build->task_flags[task] |= BUILD_SIGNALLED;
	if (build->dag->task_state[task] & TASK_ENDED) {
		const uint64_t *home = table_find(&build->unsignalled, task);

		join_complete(build, task, (task_id)(*home >> 32), (uint32_t)*home);
	}
	return 0;
}

static int end_task(struct build *build, struct lane *lane)
{
	task_id task = lane->task;
	struct live *live;
	uint8_t flags;
	int error = end_strand_of(build, lane, WIRE_END, &live);

	if (error)
		return error;
	flags = build->task_flags[task];
	join_abandon(build, live);
	free_live(build, build->task_slot[task]);
	build->dag->task_state[task] |= TASK_ENDED;
	build->dag->n_ended++;
	if (flags & BUILD_MEMBER) {
		list_push(build, &build->team[live->team].done, task);
	} else if (!(flags & BUILD_HANDLE) || flags & BUILD_SIGNALLED) {
		join_complete(build, task, live->parent, live->home);
	} else {
		uint64_t *home = table_put(&build->unsignalled, task);

		if (!home)
			return build_no_memory(build);
		*home = (uint64_t)live->parent << 32 | live->home;
	}
	return 0;
}

static int on_end(struct build *build)
{
	struct lane *lane = &build->lane[build->worker];

	if (lane->ended_early) {
		lane->ended_early = false;
		return 0;
	}
	if (lane->open == STRAND_NONE)
		return build_contradicts(build, "worker %u runs nothing then", build->worker);
	return end_task(build, lane);
}

int build_end_early(struct build *build, uint32_t worker)
{
	if (build->dag->how[build->lane[worker].open] & STRAND_HIDES)
		hidden_shorten(build, build->lane[worker].open);
	build->lane[worker].ended_early = true;
	return end_task(build, &build->lane[worker]);
}

/* The task that runs, or ran last, on the worker at hand. */
static struct live *at_hand(struct build *build)
{
	return build_live(build, build->lane[build->worker].task);
}

static int on_depend(struct build *build)
{
	task_id child = build->lane[build->worker].detailed;
	uint64_t type = build->event->b >> WIRE_DEPEND_SHIFT;
	struct live *live = at_hand(build);

	if (type == 0 || type >= WIRE_DEPENDS)
		return build_contradicts(build, "a dependence of unknown type");
	if (!live ||
	    (child == TASK_NONE && (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_DEPEND)))
		return build_lossy(build)
			       ? 0
			       : build_contradicts(build, "no creation or wait comes before it");
	if (child != TASK_NONE)
		build->task_flags[child] |= BUILD_DEPENDS;
	return depend_clause(build, live, child, build->lane[build->worker].global,
			     build->event->b);
}

static int on_handle(struct build *build)
{
	task_id task = build->lane[build->worker].task;
	uint64_t object = build->event->b;
	const uint64_t *index = table_find(&build->by_object, object);
	uint64_t *slot;

	if (build->lane[build->worker].open == STRAND_NONE)
		return build_lossy(build) ? 0 : build_contradicts(build, "no task runs then");
	if (build->task_flags[task] & BUILD_MEMBER)
		return build_contradicts(build, "an implicit task cannot be detached");
	if (build->task_flags[task] & BUILD_HANDLE)
		return build_lossy(build)
			       ? 0
			       : build_contradicts(build, "the task has a handle already");
	build->task_flags[task] |= BUILD_HANDLE;
	if (index && *index && !build->signal[*index].claimed) { /* signalled before it began */
		build->signal[*index].claimed = true;
		build->task_flags[task] |= BUILD_SIGNALLED;
		slot = table_put(&build->done_by, task);
		if (slot)
			*slot = build->signal[*index].strand;
	} else {
		slot = table_put(&build->handle, object);
		if (slot)
			*slot = (uint64_t)task + 1;
	}
	return slot ? 0 : build_no_memory(build);
}

static int on_group(struct build *build)
{
	struct live *live = at_hand(build);
	uint32_t scope;

	if (!live || build->lane[build->worker].open == STRAND_NONE)
		return build_lossy(build) ? 0 : build_contradicts(build, "no task runs then");
	scope = join_open_scope(build, live->scope, live->task);
	if (scope == NONE)
		return build_no_memory(build);
	live->scope = scope;
	return 0;
}

static int on_detail_of_wait(struct build *build)
{
	struct live *live = at_hand(build);

	if (!live || live->ended_by != WIRE_WAIT || build->lane[build->worker].open != STRAND_NONE)
		return build_lossy(build) ? 0 : build_contradicts(build, "no wait comes before it");
	if (build->event->kind == WIRE_OBJECT) {
		if (live->wait < WIRE_WAIT_OBJECT)
			return build_lossy(build)
				       ? 0
				       : build_contradicts(build,
							   "the wait before it is for no object");
		return join_object(build, live, build->event->b);
	} else {
		join_no_wait(build, live);
	}
	return 0;
}

/* What is said of the task that the task at hand created last: its name, or its bag. */
static int on_detail_of_created(struct build *build)
{
	struct live *live = at_hand(build);
	uint64_t *name;
	uint32_t scope;

	if (!live || live->created == TASK_NONE)
		return build_lossy(build) ? 0
					  : build_contradicts(build, "no creation comes before it");
	if (build->event->kind == WIRE_NAME) {
		name = table_put(&build->by_name, build->event->b);
		if (!name)
			return build_no_memory(build);
		*name = (uint64_t)live->created + 1;
		return 0;
	}
	if (build->dag->task_state[live->created] & TASK_BEGUN)
		return build_lossy(build) ? 0
					  : build_contradicts(build, "the task has begun already");
	if (build->task_flags[live->created] & BUILD_EMPTY && build->empty != live->created)
		return build_contradicts(build, "the task is complete already");
	scope = join_bag(build, build->event->b);
	if (scope == NONE)
		return build_no_memory(build);
	build->task_slot[live->created] = scope;
	return 0;
}

static int on_discard(struct build *build)
{
	task_id task = build->event->kind == WIRE_DISCARD ? made_by(build, build->event->b)
							  : build_named(build, build->event->b);
	struct live *creator;

	if (task == NONE && build_lossy(build))
		return 0;
	if (task == NONE || task & MADE_TEAM)
		return build_contradicts(build, "no such task was created before");
	if (build->dag->task_state[task] & (TASK_BEGUN | TASK_CANCELLED))
		return build_lossy(build)
			       ? 0
			       : build_contradicts(build,
						   "the task has begun or was discarded already");
	build->dag->task_state[task] |= TASK_CANCELLED;
	build->dag->n_cancelled++;
	build->discarded = true;
	if (build->task_last[task] == STRAND_NONE)
		return 0;
	creator = build_live(build, build->dag->strand[build->task_last[task]].task);
	if (creator && !(build->task_flags[task] & BUILD_EMPTY))
		creator->n_open--;
	return 0;
}

static int apply(struct build *build)
{
	bool over = build->event->kind < WIRE_FIRST_UNTIMED &&
		    build->lane[build->worker].after_gap;
	int error = over ? gap_over(build) : 0;

	if (error)
		return error;
	switch ((enum wire_kind)build->event->kind) {
	case WIRE_ROOT:
		return on_root(build);
	case WIRE_BEGIN:
		return on_begin(build);
	case WIRE_MEMBER:
		return on_member(build);
	case WIRE_START:
		return on_start(build);
	case WIRE_RESUME:
		return on_resume(build);
	case WIRE_CREATE:
		return on_create(build);
	case WIRE_FORK:
		return on_fork(build);
	case WIRE_WAIT:
		return on_wait(build);
	case WIRE_YIELD: {
		struct live *live;

		return end_strand(build, &live);
	}
	case WIRE_SIGNAL:
		return on_signal(build);
	case WIRE_END:
		return on_end(build);
	case WIRE_DEPEND:
		return on_depend(build);
	case WIRE_OBJECT:
	case WIRE_NOWAIT:
		return on_detail_of_wait(build);
	case WIRE_NAME:
	case WIRE_BAG:
		return on_detail_of_created(build);
	case WIRE_DISCARD:
	case WIRE_DISCARD_NAMED:
		return on_discard(build);
	case WIRE_GROUP:
		return on_group(build);
	case WIRE_HANDLE:
		return on_handle(build);
	case WIRE_CANCEL:
		build->cancelled = true;
		return 0;
	case WIRE_LOST:
	case WIRE_SINCE:
	case WIRE_UNTIL:
		return gap_event(build);
	case WIRE_TRACER:
		build->lane[build->worker].held_ns +=
			reader_duration_ns(build->reader, build->event->b);
		build->dag->held_ns += reader_duration_ns(build->reader, build->event->b);
		return 0;
	case WIRE_HIDDEN:
		return hidden_event(build);
	default: /* WIRE_NEXT_ID is the decoder's */
		return 0;
	}
}

/* merge.h: among events of one time, what others may be waiting for comes first. */
static unsigned rank(const void *context, uint32_t worker, const struct event *event)
{
	const struct build *build = context;
	const struct live *live;
	uint32_t made;

	(void)worker;
	switch (event->kind) {
	case WIRE_START:
	case WIRE_BEGIN:
		made = event->kind == WIRE_START ? build_named(build, event->b)
						 : made_by(build, event->b);
		if (made == NONE || made & MADE_TEAM)
			return NONE; /* to be created yet */
		return build->task_flags[made] & BUILD_DEPENDS &&
				       !(depend_satisfied(build, depend_preds(build, made)) &&
					 depend_awaited_done(build, made))
			       ? NONE - 1
			       : 1;
	case WIRE_ROOT:
		return 1;
	case WIRE_DISCARD:
		return made_by(build, event->b) == NONE ? NONE : 1;
	case WIRE_DISCARD_NAMED:
		return build_named(build, event->b) == TASK_NONE ? NONE : 1;
	case WIRE_MEMBER:
		return made_by(build, event->b) == NONE ? NONE : 1;
	case WIRE_RESUME:
		made = made_by(build, event->b);
		live = made == NONE || made & MADE_TEAM ? NULL : build_live(build, made);
		if (!live || is_running(build, made))
			return NONE; /* to be created, begun or suspended yet */
		if (join_satisfied(build, live))
			return 2;
		if (!join_all_arrived(build, live))
			return NONE - 2;
		return MADE_TEAM - made; /* the younger may be what the older waits for */
	default:
		return 0;
	}
}

/* Strands that are still open: a root's ends with what was last seen of its worker. */
static int close_open(struct build *build)
{
	struct dag *dag = build->dag;
	int error = 0;

	for (uint32_t w = 0; w < build->n_lanes && !error; w++) {
		struct lane *lane = &build->lane[w];

		if (lane->open == STRAND_NONE)
			continue;
		bool root = dag->task_kind[lane->task] == 0;

		error = build_set_end(build, lane->open,
				      (root ? lane->last_ns : build->last_ns) - dag->begin_ns);
	}
	return error;
}

static int read_events(struct build *build, struct merge *merge)
{
	struct dag *dag = build->dag;
	uint64_t whole_ns = reader_facts(build->reader)->whole_ns;
	bool begun = false;
	int got;

	while ((got = merge_next(merge, &build->event, &build->ns, build->err)) > 0) {
		int error;

		build->worker = merge->worker;
		if (build->ns > whole_ns)
			break;
		if (build->event->kind < WIRE_FIRST_UNTIMED) {
			if (!begun)
				dag->begin_ns = build->ns;
			begun = true;
			dag->n_events++;
			if (build->ns > build->last_ns)
				build->last_ns = build->ns;
			build->lane[build->worker].last_ns = build->ns;
			build->lane[build->worker].has_event = true;
			if (build->empty != TASK_NONE)
				complete_empty(build);
		}
		error = build->lane[build->worker].held_ns ? held_before(build) : 0;
		if (!error)
			error = apply(build);
		if (!error && build->ties_hold)
			held_after(build);
		if (!error && *build->n_steps > STEPS_FREE + STEPS_AN_EVENT * dag->n_events)
			error = build_too_large(build, "things that wait for one another");
		if (error)
			return error;
		if (build->last_ns - dag->begin_ns >= WINDOW_MAX_NS)
			return err_set(build->err, EFBIG,
				       "%s: spans more than 78 hours, which is too long",
				       reader_facts(build->reader)->path);
		if (build->event->kind < WIRE_FIRST_UNTIMED)
			build->lane[build->worker].after_gap = false;
	}
	if (begun)
		dag->elapsed_ns = build->last_ns - dag->begin_ns;
	if (got < 0)
		return got;
	got = held_finish(build);
	if (!got)
		got = close_open(build);
	return got ? got : hidden_settle(build);
}

/* Which runtimes kinds, roots and workers belong to. */
static int find_runtimes(struct build *build)
{
	struct dag *dag = build->dag;
	uint16_t hidden =
		0; /* runtimes that have hidden tasks: who hides any may have had all of them */

	dag->kind_runtimes = calloc(dag->n_kinds + 1ull, sizeof(*dag->kind_runtimes));
	dag->worker_runtimes = calloc(build->n_lanes + 1ull, sizeof(*dag->worker_runtimes));
	if (!dag->kind_runtimes || !dag->worker_runtimes)
		return build_no_memory(build);
	for (uint32_t k = 1; k < dag->n_kinds; k++) {
		dag->kind_runtimes[k] = runtime_of(build, k);
	}
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (dag->how[s] & STRAND_FIRST &&
		    !note_creation(build, dag->strand[s].pred, dag->strand[s].task))
			return build_no_memory(build);
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (!(dag->task_state[t] & TASK_BEGUN) &&
		    !note_creation(build, build->task_last[t], t))
			return build_no_memory(build);
	for (uint32_t k = 1; k < dag->n_kinds; k++)
		if (dag->kind_hidden[k])
			hidden |= dag->kind_runtimes[k];
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			dag->worker_runtimes[dag->strand[s].worker] |=
				dag_runtimes(dag, s) | (dag->how[s] & STRAND_HIDES ? hidden : 0);
	return 0;
}

static int finish(struct build *build)
{
	struct dag *dag = build->dag;
	int error = hidden_tally(build);

	if (!error)
		error = find_runtimes(build);

	gap_finish(build);
	if (error)
		return error;
	for (task_id t = 0; t < dag->n_tasks && build->cancelled && !build->discarded; t++)
		if (!(dag->task_state[t] & TASK_BEGUN)) {
			dag->task_state[t] |= TASK_CANCELLED;
			dag->n_cancelled++;
		}
	dag->n_slots = build->n_lanes;
	if (width_find(dag, reader_defs(build->reader)) < 0)
		return build_no_memory(build);
	if (dag->elapsed_ns && dag->n_workers > UINT64_MAX / dag->elapsed_ns)
		return err_set(build->err, EPROTO, "%s: %u workers over %" PRIu64 " ns cannot be",
			       reader_facts(build->reader)->path, dag->n_workers, dag->elapsed_ns);
	return 0;
}

static void build_free(struct build *build)
{
	for (uint32_t w = 0; build->lane && w < build->n_lanes; w++) {
		free(build->lane[w].of_id);
		free(build->lane[w].range);
	}
	free(build->lane);
	depend_free(build);
	free(build->task_last);
	free(build->task_slot);
	free(build->task_flags);
	free(build->live);
	free(build->scope);
	free(build->team);
	free(build->signal);
	table_free(&build->by_object);
	table_free(&build->handle);
	table_free(&build->done_by);
	table_free(&build->unsignalled);
	free(build->awaited);
	free(build->meeting);
	table_free(&build->by_name);
	table_free(&build->by_bag);
	table_free(&build->by_meeting);
	table_free(&build->awaits);
	table_free(&build->found);
}

/* by_cause: merge_by_cause() */
static int build_by(struct dag *dag, const struct reader *reader, bool by_cause, struct err *err)
{
	struct build build = { .dag = dag,
			       .err = err,
			       .reader = reader,
			       .free_live = NONE,
			       .global_depends = NONE,
			       .empty = TASK_NONE,
			       .lossy_ns = UINT64_MAX,
			       .by_cause = by_cause,
			       .n_lanes = reader_facts(reader)->n_workers };
	struct merge merge;
	int error = merge_open(&merge, reader, err);

	const char *lost = defs_meta(reader_defs(reader), "lost_events");
	const char *unread = defs_meta(reader_defs(reader), "unrecovered_rings");

	*dag = (struct dag){ 0 };
	if (unread || (!reader_facts(reader)->ended && lost && strcmp(lost, "0") != 0))
		build.lossy_ns = 0; /* where, it did not come to say */
	build.merge = &merge;
	build.n_steps = &merge.n_steps;
	merge.rank = rank;
	merge.context = &build;
	if (by_cause)
		merge_by_cause(&merge);
	build.lane = calloc(build.n_lanes + 1, sizeof(*build.lane));
	if (!error && (!build.lane || join_open_scope(&build, NONE, TASK_NONE) == NONE))
		error = build_no_memory(&build);
	for (uint32_t w = 0; build.lane && w < build.n_lanes; w++)
		build.lane[w] = (struct lane){ .task = TASK_NONE,
					       .open = STRAND_NONE,
					       .newest = STRAND_NONE,
					       .cut = STRAND_NONE,
					       .before_gap = STRAND_NONE,
					       .detailed = TASK_NONE };
	if (!error)
		error = read_events(&build, &merge);
	if (!error)
		error = finish(&build);
	dag->moved_ns = merge.moved_ns;
	dag->moved_at_ns = merge.moved_at_ns;
	build_free(&build);
	merge_close(&merge);
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
	const char *clock = reader_defs(reader)->clock;
	struct err unused;
	int error = build_by(dag, reader, false, err);

	if (error == -EPROTO && clock && strcmp(clock, "ns") != 0 &&
	    build_by(dag, reader, true, &unused) == 0)
		return 0;
	return error;
}

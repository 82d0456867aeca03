/* SPDX-License-Identifier: MIT */
/* begins.c - events that begin a strand. */
#include "tools/dag/effects.h"
#include "tools/dag/runtimes.h"

/* Opens a strand of the task on the worker at hand; its edges are to be added next. */
static int begin_strand(struct effects *events, task_id task)
{
	struct state *state = events->state;
	struct dag *dag = state->dag;
	struct lane *lane = &state->lane[state->worker];
	uint64_t ns = state->ns - dag->begin_ns;
	bool first = !(dag->task_state[task] & TASK_BEGUN);
	strand_id pred = state->task_last[task];
	struct strand *strand;

	if (lane->open != STRAND_NONE && gap_unrecorded(events->gaps) < 0)
		return state->err->code;
	if (pred != STRAND_NONE && state_lossy(state) && state_is_open(state, pred))
		return state_contradicts(state, "the task is running on another worker");
	strand = state_strand(state, pred, first ? STRAND_FIRST : 0);
	if (!strand)
		return state->err->code;
	strand->start_low = (uint32_t)ns;
	strand->start_high = (uint16_t)(ns >> 32);
	strand->worker = (uint16_t)state->worker;
	strand->task = task;
	if (first) {
		dag->task_state[task] |= TASK_BEGUN;
		dag->n_begun++;
	}
	lane->open = lane->newest = state->newest;
	lane->task = task;
	state->task_last[task] = state->newest;
	return 0;
}

/* The task's first strand, as a member of that team, or NONE. */
static int begin_task(struct effects *events, task_id task, uint32_t team)
{
	join_begin(events->join, task, team);

	return begin_strand(events, task);
}

/* What the event made begins at once. */
static int begin_made(struct effects *events, task_id task, uint32_t team)
{
	int error = state_make_id(events->state, task);

	return error ? error : begin_task(events, task, team);
}

int on_root(struct effects *events)
{
	task_id task;

	state_task(events->state, KIND_OF_ROOTS, STRAND_NONE, 0, 0, &task);

	return begin_made(events, task, NONE);
}

/* ---- created tasks ---- */

/* Whether a task's code can begin. */
static bool may_begin(const struct state *state, task_id task)
{
	return task != TASK_NONE && !(state->task_flags[task] & BUILD_EMPTY) &&
	       !(state->dag->task_state[task] & (TASK_BEGUN | TASK_CANCELLED));
}

static int begin_created(struct effects *events, task_id task)
{
	struct state *state = events->state;
	int error;

	if (state->dag->task_state[task] & TASK_BEGUN)
		return state_contradicts(state, "the task has begun already");
	if (state->task_flags[task] & BUILD_EMPTY)
		return state_contradicts(state, "the task is empty");
	if (state->dag->task_state[task] & TASK_CANCELLED)
		return state_contradicts(state, "the task was discarded");
	error = begin_task(events, task, NONE);
	return error ? error : join_depends(events->join, task);
}

/*
 * The task that the event's id stands for was taken for another one, by a name that was lost: the
 * id stands for a new one from here on, and of what that other one is nothing is known.
 */
static int made_again(struct effects *events, task_id *task)
{
	struct state *state = events->state;
	struct dag *dag = state->dag;
	uint32_t *slot = ids_slot(&state->ids, state->event->b);
	task_id other = *task;
	kind_id unknown;
	int error = gap_task(events->gaps, slot ? 0 : state->event->b, task);

	if (error)
		return error;
	if (slot)
		*slot = *task;
	error = kind_created_at(events->kinds, SITE_UNKNOWN, KIND_TASK, &unknown);
	if (error)
		return error;
	dag->n_found += dag->task_kind[other] != unknown;
	dag->n_found -= dag->task_kind[*task] == unknown && dag->task_kind[other] != unknown;
	dag->task_kind[*task] = dag->task_kind[other];
	dag->task_kind[other] = unknown;
	return 0;
}

int on_begin(struct effects *events)
{
	struct state *state = events->state;
	task_id task = ids_of(&state->ids, state->event->b);
	int error = 0;

	if (task == NONE && state_lossy(state))
		error = gap_task(events->gaps, state->event->b, &task);
	if (error)
		return error;
	if (task & MADE_TEAM)
		return state_contradicts(state, "no such task was created before");
	if (state_lossy(state) && !may_begin(state, task))
		error = made_again(events, &task);
	return error ? error : begin_created(events, task);
}

int on_start(struct effects *events)
{
	struct state *state = events->state;
	task_id task = ids_named(&state->ids, state->event->b);
	int error = 0;

	if (!may_begin(state, task) && state_lossy(state)) /* the name has been used again */
		error = gap_task(events->gaps, 0, &task);
	if (error)
		return error;
	if (task == TASK_NONE)
		return state_contradicts(state, "no task was given that name before");
	error = begin_created(events, task);
	if (error)
		return error;
	state_live(state, task)->by_name = state_lossy(state);
	return state_make_id(state, task);
}

/* ---- members ---- */

/* Of a group that nobody saw forked. */
static int on_member_of_none(struct effects *events)
{
	task_id task;
	int error = gap_task(events->gaps, 0, &task);

	return error ? error : begin_made(events, task, NONE);
}

static uint8_t member_flags(const struct state *state, const struct team *team)
{
	uint8_t flags = team->flags & WIRE_FORK_NOWAIT ? 0 : BUILD_MEMBER;

	bool of_final = team->forker != TASK_NONE && state->task_flags[team->forker] & BUILD_FINAL;

	if (team->flags & WIRE_FORK_FINAL || (team->flags & WIRE_FORK_LOOP && of_final))
		flags |= BUILD_FINAL;
	return flags;
}

int on_member(struct effects *events)
{
	struct state *state = events->state;
	uint32_t number = ids_of(&state->ids, state->event->b);
	const struct team *team;
	struct live *forker;
	uint8_t flags;
	task_id task;
	kind_id kind;
	int error;

	if (number == NONE && state_lossy(state))
		return on_member_of_none(events);
	if (number == NONE || !(number & MADE_TEAM))
		return state_contradicts(state, "no such group was forked before");
	number &= ~MADE_TEAM;
	team = &events->join->barriers.team[number];
	flags = member_flags(state, team);
	error = kind_created_at(events->kinds, team->site,
				team->flags & WIRE_FORK_TEAM ? KIND_IMPLICIT : KIND_LOOP, &kind);
	if (!error)
		state_task(state, kind, team->fork, team->scope, flags, &task);
	if (!error && state->dag->n_paths)
		state->dag->task_path[task] = team->path;
	if (!error)
		error = begin_made(events, task, flags & BUILD_MEMBER ? number : NONE);
	if (error || flags & BUILD_MEMBER)
		return error;
	forker = state_live(state, team->forker);
	if (forker)
		forker->n_open++;
	return 0;
}

/* ---- resume ---- */

/*
 * The task runs, and nobody saw how it came to: no edge leads to its strand.  But where recording
 * was stopped, which is outside of what is analysed, it follows its strand before.
 */
static int resume_from_nowhere(struct effects *events, task_id task)
{
	struct state *state = events->state;
	struct live *live = state_live(state, task);
	strand_id last = state->task_last[task];

	if (!live) {
		runtime_note_unseen(state, last, task);
		join_begin(events->join, task, NONE);
	} else {
		join_lost(events->join, live);
		join_forget(events->join, live);
	}
	if (!live || !gap_was_asked_for(events->gaps) || state_is_open(state, last))
		state->task_last[task] = STRAND_NONE;
	return begin_strand(events, task);
}

/* What RESUME is of, where events are missing before. */
static int resumed(struct effects *events, task_id *task)
{
	struct state *state = events->state;

	*task = ids_of(&state->ids, state->event->b);
	if (!state_lossy(state))
		return 0;
	if (*task == NONE)
		return gap_task(events->gaps, state->event->b, task);
	if (!(*task & MADE_TEAM) && !state_live(state, *task) && !may_begin(state, *task))
		return made_again(events, task);
	return 0;
}

/* The task goes on after what it waited for. */
static int resume(struct effects *events, task_id task, struct live *live)
{
	const struct scope *bag = join_bag(events->join, live);
	int error = bag ? end_early(events, bag) : join_before_resume(events->join, live);

	if (!error)
		error = begin_strand(events, task) ?: join_resume(events->join, live);
	live->preds = NONE;
	return error;
}

int on_resume(struct effects *events)
{
	struct state *state = events->state;
	task_id task;
	struct live *live;
	int error = resumed(events, &task);

	if (error)
		return error;
	if (task & MADE_TEAM)
		return state_contradicts(state, "no such task was created before");
	live = state_live(state, task);
	if (!live && state_lossy(state))
		return resume_from_nowhere(events, task);
	if (!live)
		return state_contradicts(state, state->dag->task_state[task] & TASK_ENDED
							? "the task has ended already"
							: "the task has not begun");
	if (state_is_running(state, task) && live->by_name && !gap_is_untold(events->gaps, task)) {
		error = made_again(events, &task); /* another one had the name that it began by */
		return error ? error : resume_from_nowhere(events, task);
	}
	if (state_is_running(state, task))
		error = gap_elsewhere(events->gaps, task);
	if (error)
		return error;
	if (state_lossy(state) && (live->ended_by == WIRE_LOST || gap_hides(events->gaps, task)))
		return resume_from_nowhere(events, task);
	return resume(events, task, live);
}

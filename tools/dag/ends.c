/* SPDX-License-Identifier: MIT */
/* ends.c - events that end a strand. */
#include "tools/dag/effects.h"
#include "tools/dag/collapsed_tasks.h"
#include "tools/dag/notes.h"
#include "tools/dag/wait_rules.h"

static int end_strand_of(struct state *state, struct lane *lane, enum wire_kind kind,
			 struct live **live)
{
	state_set_end(state, lane->open, state->ns - state->dag->begin_ns);
	if (!lane->ended_early && !collapsed_fits(state, lane->open))
		return state_contradicts(state, "invalid sums of the collapsed tasks before it");
	state->dag->how[lane->open] |= (uint8_t)kind;
	lane->open = STRAND_NONE;
	lane->detailed = TASK_NONE;
	*live = state_live(state, lane->task);
	(*live)->ended_by = (uint8_t)kind;
	return 0;
}

/* *live is NULL if nobody saw whose strand that is. */
static int end_strand(struct effects *events, struct live **live)
{
	struct state *state = events->state;
	struct lane *lane = &state->lane[state->worker];

	*live = NULL;
	if (lane->open == STRAND_NONE)
		return gap_unseen(events->gaps);
	return end_strand_of(state, lane, (enum wire_kind)state->event->kind, live);
}

/* ---- create ---- */

/* What the event says of the task that it creates, and what follows from who creates it. */
static uint8_t created_flags(uint32_t said, uint8_t creator)
{
	uint8_t flags = 0;

	if (said & WIRE_TASK_UNDEFERRED)
		flags |= BUILD_UNDEFERRED;
	if (said & WIRE_TASK_FINAL)
		flags |= BUILD_FINAL;
	if (said & WIRE_TASK_EMPTY)
		flags |= BUILD_EMPTY;
	if (creator & BUILD_FINAL)
		flags |= BUILD_UNDEFERRED | BUILD_FINAL;
	return flags;
}

static uint32_t take_path(struct lane *lane)
{
	uint32_t path = lane->path;

	lane->path = 0;
	return path;
}

int on_create(struct effects *events)
{
	struct state *state = events->state;
	uint32_t said = site_flags(state->event->b);
	struct lane *lane = &state->lane[state->worker];
	strand_id strand = lane->open;
	struct live *live;
	uint8_t flags;
	kind_id kind;
	task_id task;
	int error = end_strand(events, &live);

	if (error)
		return error;
	flags = created_flags(said, live ? state->task_flags[live->task] : 0);
	error = kind_created_at(events->kinds, site_number(state->event->b), KIND_TASK, &kind);
	if (!error)
		state_task(state, kind, strand, live ? live->scope : 0, flags, &task);
	if (error)
		return error;
	if (state->dag->n_paths)
		state->dag->task_path[task] = take_path(lane);
	lane->detailed = task;
	lane->global = said & WIRE_TASK_GLOBAL;
	if (flags & BUILD_UNDEFERRED)
		state->dag->task_state[task] |= TASK_CALLED;
	if (said & WIRE_TASK_TARGET)
		state->dag->task_state[task] |= TASK_TARGET;
	if (flags & BUILD_EMPTY) {
		state->dag->task_state[task] |= TASK_EMPTY;
		events->empty = task;
	}
	if (live) {
		live->created = task;
		live->n_open += !(flags & BUILD_EMPTY);
	}
	return state_make_id(state, task);
}

/* Whoever joins the empty task joins what it depends on. */
void complete_empty(struct effects *events)
{
	struct state *state = events->state;
	task_id task = events->empty;
	strand_id creator = state->task_last[task];
	task_id parent = creator == STRAND_NONE ? TASK_NONE : state->dag->strand[creator].task;
	struct live *live = state_live(state, parent);

	events->empty = TASK_NONE;
	if (live)
		live->n_open++;
	scope_complete(&events->join->scopes, task, parent, state->task_slot[task]);
}

/* ---- fork, wait, yield, signal ---- */

int on_fork(struct effects *events)
{
	struct state *state = events->state;
	struct scopes *scopes = &events->join->scopes;
	uint32_t flags = site_flags(state->event->b);
	struct lane *lane = &state->lane[state->worker];
	struct team team = { .forker = lane->open == STRAND_NONE ? TASK_NONE : lane->task,
			     .fork = lane->open,
			     .site = site_number(state->event->b),
			     .path = take_path(lane),
			     .flags = flags,
			     .done = { NONE, NONE },
			     .last_member = NONE };
	struct live *live;
	uint32_t number;
	int error = end_strand(events, &live);

	if (error)
		return error;
	team.scope = live ? live->scope : 0;
	if (!(flags & WIRE_FORK_NOWAIT))
		team.scope = scope_open(scopes, team.scope, TASK_NONE);
	number = barrier_fork(&events->join->barriers, &team);
	if (live) {
		struct live_more *more = state_more(state, live);

		more->forked = number;
	}
	return state_make_id(state, number | MADE_TEAM);
}

int on_wait(struct effects *events)
{
	struct state *state = events->state;
	uint32_t said = site_flags(state->event->b);
	strand_id strand = state->lane[state->worker].open;
	struct live *live;
	int error = end_strand(events, &live);

	if (error || !live)
		return error;
	state_wait(state, strand, site_number(state->event->b), (enum wire_wait)(uint8_t)said);
	state->lane[state->worker].global = said & WIRE_WAIT_GLOBAL;
	join_wait(events->join, live, wait_rule((enum wire_wait)(uint8_t)said));
	return 0;
}

int on_yield(struct effects *events)
{
	struct live *live;

	return end_strand(events, &live);
}

int on_signal(struct effects *events)
{
	struct state *state = events->state;
	strand_id strand = state->lane[state->worker].open;
	struct live *live;
	task_id task;
	int error = end_strand(events, &live);

	if (error || !live)
		return error;
	object_note(state, strand, state->event->b);
	signal_give(&events->join->signals, state->event->b, strand, &task);
	if (task != TASK_NONE)
		join_signalled(events->join, task);
	return error;
}

/* ---- end ---- */

static int end_task(struct effects *events, struct lane *lane)
{
	task_id task = lane->task;
	struct live *live;
	int error = end_strand_of(events->state, lane, WIRE_END, &live);

	if (error)
		return error;
	join_end(events->join, task);
	return 0;
}

int on_end(struct effects *events)
{
	struct state *state = events->state;
	struct lane *lane = &state->lane[state->worker];

	if (lane->ended_early) {
		lane->ended_early = false;
		return 0;
	}
	if (lane->open == STRAND_NONE)
		return gap_unseen(events->gaps);
	return end_task(events, lane);
}

/*
 * Of the tasks of the bag that run, those are over of which nothing more comes than their end; if
 * others wait for the same bag, who knows what for, only if the end is near.
 */
#define END_NEAR_NS 100000u
static bool is_over(const struct state *state, const struct scope *bag, uint32_t worker)
{
	const struct lane *lane = &state->lane[worker];
	bool collapsed; /* before its end */
	uint64_t next_ns;

	if (lane->open == STRAND_NONE || worker == state->worker ||
	    merge_upcoming(state->merge, worker, &next_ns) != WIRE_END)
		return false;
	collapsed = state->dag->how[lane->open] & STRAND_COLLAPSED;
	return (bag->n_waiting == 1 && !collapsed) || next_ns - state->ns < END_NEAR_NS;
}

int end_early(struct effects *events, const struct scope *bag)
{
	struct state *state = events->state;
	const struct scope *scope = events->join->scopes.scope;
	int error = 0;

	state_spend(state, bag->n_running ? state->n_lanes : 0);
	for (uint32_t w = 0; w < state->n_lanes && !error && bag->n_running; w++) {
		struct lane *lane = &state->lane[w];
		const struct live *live = state_live(state, lane->task);

		if (!live || &scope[live->home] != bag || !is_over(state, bag, w))
			continue;
		if (state->dag->how[lane->open] & STRAND_COLLAPSED)
			collapsed_shorten(state, lane->open);
		lane->ended_early = true;
		error = end_task(events, lane);
	}
	return error;
}

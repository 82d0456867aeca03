/* SPDX-License-Identifier: MIT */
/* join.c - which strand joins which tasks. */
#include "tools/dag/join.h"

#include "tools/dag/notes.h"

void join_open(struct join *join, struct state *state, struct depend *depend)
{
	*join = (struct join){ .state = state, .depend = depend };
	barrier_open(&join->barriers, state, &join->scopes);
	signal_open(&join->signals, state);
	depend->signals = &join->signals;
	scope_start(&join->scopes, state, depend);
}

void join_free(struct join *join)
{
	scope_free(&join->scopes);
	barrier_free(&join->barriers);
	signal_free(&join->signals);
	map_free(&join->unsignalled);
	*join = (struct join){ 0 };
}

/* ---- a task's life ---- */

void join_begin(struct join *join, task_id task, uint32_t team)
{
	struct state *state = join->state;
	uint32_t home = state->task_slot[task];
	struct live *live;

	state_begin(state, task);
	live = &state->live[state->task_slot[task]];
	scope_enter(&join->scopes, live, home);
	if (team != NONE)
		barrier_enter(&join->barriers, live, team);
}

void join_end(struct join *join, task_id task)
{
	struct state *state = join->state;
	struct live *live = state_live(state, task);
	uint32_t team = state_more_of(state, live)->team;
	uint8_t flags = state->task_flags[task];
	uint64_t *home;

	scope_abandon(&join->scopes, live);
	barrier_leave(&join->barriers, live);
	scope_leave(&join->scopes, live);
	depend_close(join->depend, live);
	state_end(state, live);
	state->dag->task_state[task] |= TASK_ENDED;
	state->dag->n_ended++;
	if (flags & BUILD_MEMBER) {
		list_push(state, &join->barriers.team[team].done, task);
	} else if (state_complete(state, task)) {
		scope_complete(&join->scopes, task, live->parent, live->home);
	} else {
		home = map_put(&join->unsignalled, task);
		*home = (uint64_t)live->parent << 32 | live->home;
	}
}

void join_signalled(struct join *join, task_id task)
{
	const uint64_t *home = map_find(&join->unsignalled, task);

	if (home)
		scope_complete(&join->scopes, task, (task_id)(*home >> 32), (uint32_t)*home);
}

/* ---- a wait, while it lasts ---- */

void join_wait(struct join *join, struct live *live, enum wire_wait wait)
{
	live->wait = (uint8_t)wait;
	live->has_object = false;
	if (live->more)
		join->state->more[live->more].episode += wait == WIRE_WAIT_TEAM;
}

struct scope *join_bag(const struct join *join, const struct live *live)
{
	if (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_BAG || !live->has_object)
		return NULL;
	return scope_bag(&join->scopes, state_more_of(join->state, live)->object);
}

/* As if its wait had no object. */
static void forget_object(struct join *join, struct live *live)
{
	struct scope *bag = join_bag(join, live);

	if (bag)
		bag->n_waiting--;
	barrier_part(&join->barriers, live);
	live->has_object = false;
}

void join_object(struct join *join, struct live *live, uint64_t object)
{
	struct live_more *more = state_more(join->state, live);
	uint32_t bag;

	forget_object(join, live);
	more->object = object;
	live->has_object = true;
	switch (live->wait) {
	case WIRE_WAIT_NAMED:
		more->named = ids_named(&join->state->ids, object);
		return;
	case WIRE_WAIT_BAG:
		bag = scope_of_bag(&join->scopes, object);
		join->scopes.scope[bag].n_waiting++;
		return;
	case WIRE_WAIT_BARRIER:
		barrier_meet(&join->barriers, live);
		return;
	default:
		return;
	}
}

void join_no_wait(struct join *join, struct live *live)
{
	forget_object(join, live);
	if (live->more)
		join->state->more[live->more].episode -= live->wait == WIRE_WAIT_TEAM;
	live->wait = 0;
}

void join_lost(struct join *join, struct live *live)
{
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_GROUP)
		scope_close(&join->scopes, live);
	if (live->ended_by == WIRE_FORK) {
		const struct live_more *more = state_more_of(join->state, live);
		struct team *team = &join->barriers.team[more->forked];

		if (!(team->flags & WIRE_FORK_NOWAIT))
			scope_give_up(&join->scopes, team->scope, &team->done);
	}
}

void join_forget(struct join *join, struct live *live)
{
	forget_object(join, live);
	live->wait = 0;
	live->ended_by = WIRE_LOST;
	live->preds = NONE;
	if (live->more)
		join->state->more[live->more].met = STRAND_NONE;
}

/* ---- by name ---- */

/* Whether that is a task, is complete, and when it was. */
static int is_done(struct join *join, task_id task, bool *done, uint64_t *ns)
{
	*done = false;
	*ns = 0;
	return task == TASK_NONE ? 0 : depend_done(join->depend, task, done, ns);
}

/*
 * Adds edges from whom a wait by name is for, which began when `then` had the name: from the end of
 * that task, or of who has the name now, or from later signals: a wait's last, of a task that
 * depends on a counter all.
 */
static int take_named(struct join *join, task_id waiter, const struct awaited *awaited, bool joins)
{
	struct state *state = join->state;
	const uint64_t name = awaited->name;
	const struct signal *signal = signal_last(&join->signals, name);
	task_id task = awaited->then;
	bool done;
	uint64_t done_ns;
	int error = is_done(join, task, &done, &done_ns);

	if (!error && !done) {
		task = ids_named(&state->ids, name);
		error = is_done(join, task, &done, &done_ns);
	}
	if (error)
		return error;
	if (!done || (signal && signal->ns - state->dag->begin_ns > done_ns)) {
		strand_id from = state->dag->strand[state->newest].pred;

		if (joins && signal && state->dag->strand[signal->strand].task != waiter &&
		    from != STRAND_NONE)
			object_note(state, from, name);
		return joins ? signal_edge(&join->signals, signal, waiter)
			     : signal_edges(&join->signals, name, awaited->since, waiter);
	}
	if (joins) {
		state->task_flags[task] |= BUILD_JOINED;
		state->dag->how[state->newest] |= STRAND_JOINS;
	}
	return depend_edges_from(join->depend, task);
}

int join_depends(struct join *join, task_id task)
{
	struct depend *depend = join->depend;
	const struct awaited *awaited;
	int error;

	if (!(join->state->task_flags[task] & BUILD_DEPENDS))
		return 0;
	error = depend_edges(depend, depend_preds(depend, task), false);
	for (awaited = depend_awaited(depend, task); awaited && !error;
	     awaited = depend_awaited_next(depend, awaited))
		error = take_named(join, task, awaited, false);
	return error;
}

/* Whether none of those who have, or had, the name that it waits for is still to end. */
static bool names_done(const struct join *join, const struct live *live)
{
	const struct state *state = join->state;
	const struct live_more *more = state_more_of(state, live);
	const task_id task[] = { more->named, ids_named(&state->ids, more->object) };

	for (int i = 0; i < 2; i++)
		if (task[i] != TASK_NONE && !state_complete(state, task[i]) &&
		    !(state->dag->task_state[task[i]] & TASK_CANCELLED) &&
		    !(state->task_flags[task[i]] & BUILD_EMPTY))
			return false;
	return true;
}

/* ---- the end of a wait ---- */

int join_before_resume(struct join *join, struct live *live)
{
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_BARRIER)
		return barrier_pass_meeting(&join->barriers, live);
	return barrier_pass(&join->barriers, live);
}

/* By a signal since the wait began; of a thread, which ends once, by one of before, too. */
static int take_signal(struct join *join, struct live *live)
{
	const struct dag *dag = join->state->dag;
	uint64_t object = state_more_of(join->state, live)->object;
	const struct signal *signal = signal_last(&join->signals, object);
	strand_id waits = dag->strand[join->state->newest].pred;
	const struct dag_wait *wait = dag_wait_of(dag, waits);

	if (signal && signal->ns < dag->begin_ns + dag_end(dag, waits) &&
	    (!wait || wait->what != WIRE_WAIT_THREAD))
		return 0;
	return signal_edge(&join->signals, signal, live->task);
}

/* By the ends of its tasks, and by who signalled it since it was waited for: a counter may be told
 * by hand, too. */
static int take_bag(struct join *join, struct live *live)
{
	uint64_t object = state_more_of(join->state, live)->object;
	struct scope *bag = join_bag(join, live);
	int error = scope_take(&join->scopes, &bag->orphans);

	live->has_object = false;
	if (!error)
		error = signal_edges(&join->signals, object, bag->signalled, live->task);
	if (--bag->n_waiting == 0)
		bag->signalled = signal_place(&join->signals, object);
	return error;
}

static int take_wait(struct join *join, struct live *live)
{
	const struct live_more *more = state_more_of(join->state, live);

	if (live->wait >= WIRE_WAIT_OBJECT && !live->has_object && more->met == STRAND_NONE)
		return 0; /* nobody said what for */
	switch (live->wait) {
	case WIRE_WAIT_CHILDREN:
		return scope_take_children(&join->scopes, live);
	case WIRE_WAIT_GROUP:
		return scope_take_group(&join->scopes, live);
	case WIRE_WAIT_TEAM:
		return barrier_is_of_team(&join->barriers, live)
			       ? barrier_take(&join->barriers, live)
			       : scope_take_children(&join->scopes, live);
	case WIRE_WAIT_DEPEND:
		return depend_edges(join->depend, live->preds, true);
	case WIRE_WAIT_OBJECT:
		return take_signal(join, live);
	case WIRE_WAIT_NAMED:
		return take_named(join, live->task,
				  &(struct awaited){ .name = more->object, .then = more->named },
				  true);
	case WIRE_WAIT_BAG:
		return take_bag(join, live);
	case WIRE_WAIT_BARRIER:
		return barrier_take_meeting(&join->barriers, live);
	default:
		return 0;
	}
}

/* After a task that its parent waits for.  Of one with a handle it waits for the code alone: until
 * that is signalled, who joins the task is another wait. */
static int take_created(struct join *join, task_id task)
{
	struct state *state = join->state;
	uint8_t *flags = &state->task_flags[task];

	if (!(*flags & BUILD_UNDEFERRED) || *flags & BUILD_JOINED ||
	    !(state->dag->task_state[task] & TASK_ENDED))
		return 0;
	if (!state_complete(state, task))
		return state_edge(state, state->task_last[task]);
	*flags |= BUILD_JOINED;
	return state_edges_from_task(state, task);
}

static int take_forked(struct join *join, struct team *team)
{
	int error;

	if (team->flags & WIRE_FORK_NOWAIT)
		return 0;
	error = scope_take(&join->scopes, &team->done);
	return error ? error : scope_take_all(&join->scopes, team->scope);
}

int join_resume(struct join *join, struct live *live)
{
	struct state *state = join->state;

	if (live->ended_by != WIRE_WAIT ||
	    (live->wait != WIRE_WAIT_OBJECT && live->wait != WIRE_WAIT_NAMED &&
	     live->wait != WIRE_WAIT_BAG))
		state->dag->how[state->newest] |= STRAND_JOINS;
	switch (live->ended_by) {
	case WIRE_CREATE:
		return take_created(join, live->created);
	case WIRE_FORK:
		return take_forked(join, &join->barriers.team[state_more_of(state, live)->forked]);
	case WIRE_WAIT:
		return take_wait(join, live);
	default:
		return 0;
	}
}

bool join_all_arrived(const struct join *join, const struct live *live)
{
	return barrier_all_arrived(&join->barriers, live);
}

static bool wait_satisfied(const struct join *join, const struct live *live)
{
	const struct scope *bag = join_bag(join, live);

	switch (live->wait) {
	case 0:
	case WIRE_WAIT_OBJECT:
		return true;
	case WIRE_WAIT_CHILDREN:
		return live->n_open == 0;
	case WIRE_WAIT_DEPEND:
		return depend_satisfied(join->depend, live->preds);
	case WIRE_WAIT_NAMED:
		return names_done(join, live);
	default:
		return bag && bag->n_running == 0;
	}
}

bool join_is_open(const struct join *join, const struct live *live)
{
	bool known = live->ended_by == WIRE_WAIT &&
		     (live->wait == WIRE_WAIT_CHILDREN || live->wait == WIRE_WAIT_DEPEND);

	return (known || live->ended_by == WIRE_CREATE) && !join_satisfied(join, live);
}

bool join_satisfied(const struct join *join, const struct live *live)
{
	const struct state *state = join->state;

	if (live->ended_by == WIRE_CREATE)
		return !(state->task_flags[live->created] & BUILD_UNDEFERRED) ||
		       state->dag->task_state[live->created] & TASK_ENDED;
	if (live->ended_by == WIRE_WAIT)
		return wait_satisfied(join, live);
	return live->ended_by != WIRE_FORK;
}

task_id join_elder(const struct join *join, const struct live *live)
{
	const struct team *team = join->barriers.team;
	bool at_barrier = live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
			  barrier_is_of_team(&join->barriers, live);

	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_NAMED)
		return 0;
	if (at_barrier)
		team += state_more_of(join->state, live)->team;
	return at_barrier && team->forker != TASK_NONE ? team->forker + 1 : live->task;
}

/* SPDX-License-Identifier: MIT */
/* details.c - events that say more of a creation, of a wait, of a task. */
#include "tools/dag/effects.h"
#include "tools/dag/notes.h"
#include "tools/dag/wait_rules.h"

/* The task that runs, or ran last, on the worker at hand. */
static struct live *at_hand(const struct state *state)
{
	return state_live(state, state->lane[state->worker].task);
}

static bool runs_nothing(const struct state *state)
{
	return state->lane[state->worker].open == STRAND_NONE;
}

int on_depend(struct effects *events)
{
	struct state *state = events->state;
	const struct lane *lane = &state->lane[state->worker];
	uint64_t type = depend_type(state->event->b);
	struct live *live = at_hand(state);

	if (type == 0 || type >= WIRE_DEPENDS)
		return state_contradicts(state, "unknown type of dependence");
	if (!live || (lane->detailed == TASK_NONE &&
		      (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_DEPEND)))
		return state_unless_lossy(state, "no creation or wait comes before it");
	if (lane->detailed != TASK_NONE)
		state->task_flags[lane->detailed] |= BUILD_DEPENDS;
	return depend_clause(events->depend, live, lane->detailed, lane->global, state->event->b);
}

/* ---- of the task that runs ---- */

int on_handle(struct effects *events)
{
	struct state *state = events->state;
	task_id task = state->lane[state->worker].task;

	if (runs_nothing(state))
		return state_unless_lossy(state, "no task runs then");
	if (state->task_flags[task] & BUILD_MEMBER)
		return state_contradicts(state, "an implicit task has no handle");
	if (state->task_flags[task] & BUILD_HANDLE)
		return state_unless_lossy(state, "the task has a handle already");
	signal_expect(&events->join->signals, state->event->b, task);
	return 0;
}

/* Its thread was made by whoever gave that signal, or has joined the one that did. */
int on_follows(struct effects *events)
{
	struct state *state = events->state;
	struct lane *lane = &state->lane[state->worker];
	strand_id root = lane->open;

	lane->until_tasks = lane->no_worker; /* it made or joined a thread, and said no more */
	if (root == STRAND_NONE || dag_kind(state->dag, root) != KIND_OF_ROOTS ||
	    !(state->dag->how[root] & STRAND_FIRST) || root != state->newest)
		return state_unless_lossy(state, "no root began just before");
	if (!state->event->b) /* it joined nobody */
		return 0;
	return signal_edge(&events->join->signals,
			   signal_last(&events->join->signals, state->event->b), TASK_NONE);
}

int on_group(struct effects *events)
{
	struct state *state = events->state;
	struct live *live = at_hand(state);
	uint32_t scope;

	if (!live || runs_nothing(state))
		return state_unless_lossy(state, "no task runs then");
	scope = scope_open(&events->join->scopes, live->scope, live->task);
	live->scope = scope;
	return 0;
}

/* ---- of the wait before ---- */

static struct live *waiting(const struct state *state)
{
	struct live *live = at_hand(state);

	return live && live->ended_by == WIRE_WAIT && runs_nothing(state) ? live : NULL;
}

/* A task that nobody knows, or whose code has not come to an end, has no strand to release from. */
void on_signal_by(struct effects *events)
{
	struct state *state = events->state;
	task_id task = ids_named(&state->ids, state->event->b);

	events->signaller = task == TASK_NONE || !(state->dag->task_state[task] & TASK_ENDED)
				    ? TASK_NONE
				    : task;
}

static void signal_by(struct effects *events)
{
	struct state *state = events->state;
	strand_id strand;
	task_id handled;

	if (events->signaller == TASK_NONE)
		return;
	strand = state->task_last[events->signaller];
	object_note(state, strand, state->event->b);
	signal_give(&events->join->signals, state->event->b, strand, &handled);
	if (handled != TASK_NONE)
		join_signalled(events->join, handled);
}

int on_object(struct effects *events)
{
	struct state *state = events->state;
	struct live *live = waiting(state);

	if (events->signals_by) {
		signal_by(events);
		return 0;
	}
	if (!live)
		return state_unless_lossy(state, "no wait comes before it");
	if (live->wait < WIRE_WAIT_OBJECT)
		return state_unless_lossy(state, "the wait before it is for no object");
	const struct dag_wait *wait = dag_wait_of(state->dag, state->lane[state->worker].newest);

	if (wait && wait_blocks(wait->what))
		object_note(state, state->lane[state->worker].newest, state->event->b);
	join_object(events->join, live, state->event->b);
	return 0;
}

/* Whether the message, or the call, waits for one rank. */
static bool waits_for_rank(unsigned field)
{
	return field == WIRE_MESSAGE_FROM || field == WIRE_MESSAGE_TO ||
	       field == WIRE_MESSAGE_FROM_ROOT;
}

int on_message(struct effects *events)
{
	struct state *state = events->state;
	struct dag *dag = state->dag;
	strand_id strand = state->lane[state->worker].newest;
	unsigned field = field_number(state->event->b);
	uint64_t value = field_value(state->event->b);
	struct dag_wait *wait;
	uint32_t rank;

	if (!waiting(state))
		return state_unless_lossy(state, "no wait comes before it");
	wait = &dag->wait[dag_wait_number(dag, strand)];
	if (wait->what != WIRE_WAIT_MESSAGE)
		return 0;
	if (field < WIRE_MESSAGE_BEGINS) {
		rank = waits_for_rank(field) ? (uint32_t)value + 1 : DAG_WAIT_RANKS;
		wait->rank = !wait->rank || wait->rank == rank ? rank : DAG_WAIT_RANKS;
	}
	messages_add(state, strand, field, value);
	return 0;
}

int on_nowait(struct effects *events)
{
	struct live *live = waiting(events->state);

	if (!live)
		return state_unless_lossy(events->state, "no wait comes before it");
	events->state->dag->wait_of[events->state->lane[events->state->worker].newest] = 0;
	join_no_wait(events->join, live);
	return 0;
}

/* ---- of the task that the task at hand created last ---- */

task_id created_last(const struct state *state)
{
	const struct live *live = at_hand(state);

	return live ? live->created : state->lane[state->worker].detailed;
}

int on_name(struct effects *events)
{
	struct state *state = events->state;
	task_id task = created_last(state);

	if (task == TASK_NONE)
		return state_unless_lossy(state, "no creation comes before it");
	ids_name(&state->ids, state->event->b, task);
	return 0;
}

int on_bag(struct effects *events)
{
	struct state *state = events->state;
	task_id task = created_last(state);
	uint32_t scope;

	if (task == TASK_NONE)
		return state_unless_lossy(state, "no creation comes before it");
	if (state->dag->task_state[task] & TASK_BEGUN)
		return state_unless_lossy(state, "the task has begun already");
	if (state->task_flags[task] & BUILD_EMPTY && events->empty != task)
		return state_contradicts(state, "the task is complete already");
	scope = scope_of_bag(&events->join->scopes, state->event->b);
	state->task_slot[task] = scope;
	return 0;
}

int on_path(struct effects *events)
{
	struct state *state = events->state;

	if (state->event->b >= state->dag->n_paths)
		return state_unless_lossy(state, "no such path is defined");
	state->lane[state->worker].path = (uint32_t)state->event->b;
	return 0;
}

/* ---- of a task that never begins ---- */

static int discard(struct effects *events, uint32_t task)
{
	struct state *state = events->state;
	struct live *creator;

	if (task == NONE)
		return state_unless_lossy(state, "no such task was created before");
	if (task & MADE_TEAM)
		return state_contradicts(state, "no such task was created before");
	if (state->dag->task_state[task] & (TASK_BEGUN | TASK_CANCELLED))
		return state_unless_lossy(state, "the task has begun or was discarded already");
	state->dag->task_state[task] |= TASK_CANCELLED;
	state->dag->n_cancelled++;
	state->discarded = true;
	if (state->task_last[task] == STRAND_NONE)
		return 0;
	creator = state_live(state, state->dag->strand[state->task_last[task]].task);
	if (creator && !(state->task_flags[task] & BUILD_EMPTY))
		creator->n_open--;
	return 0;
}

int on_discard(struct effects *events)
{
	return discard(events, ids_of(&events->state->ids, events->state->event->b));
}

int on_discard_named(struct effects *events)
{
	return discard(events, ids_named(&events->state->ids, events->state->event->b));
}

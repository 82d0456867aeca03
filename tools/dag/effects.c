/* SPDX-License-Identifier: MIT */
/* effects.c - one event, and which of several comes first. */
#include "tools/dag/effects.h"

#include "tools/trace/reader.h"
#include "tools/dag/collapsed_tasks.h"
#include "tools/dag/notes.h"

/* Notes that stand in a worker's stream, and are about no task. */
static int apply_note(struct effects *events)
{
	struct state *state = events->state;

	switch ((enum wire_kind)state->event->kind) {
	case WIRE_CANCEL:
		state->cancelled = true;
		return 0;
	case WIRE_LOST:
	case WIRE_SINCE:
	case WIRE_UNTIL:
		return gap_event(events->gaps);
	case WIRE_TRACER:
		held_note(events->held, reader_duration_ns(state->reader, state->event->b));
		return 0;
	default: /* WIRE_NEXT_ID is the decoder's */
		return 0;
	}
}

static int apply_untimed(struct effects *events)
{
	switch ((enum wire_kind)events->state->event->kind) {
	case WIRE_DEPEND:
		return on_depend(events);
	case WIRE_OBJECT:
		return on_object(events);
	case WIRE_NOWAIT:
		return on_nowait(events);
	case WIRE_NAME:
		return on_name(events);
	case WIRE_BAG:
		return on_bag(events);
	case WIRE_GROUP:
		return on_group(events);
	case WIRE_HANDLE:
		return on_handle(events);
	case WIRE_COLLAPSED:
		return collapsed_event(events->state);
	case WIRE_TALLY:
		tally_event(events->tallies);
		return 0;
	case WIRE_COUNTER:
		return count_note(events->state);
	case WIRE_PATH:
		return on_path(events);
	case WIRE_NO_WORKER:
		events->state->lane[events->state->worker].no_worker = true;
		events->state->lane[events->state->worker].until_tasks = false;
		return 0;
	case WIRE_MESSAGE:
		return on_message(events);
	case WIRE_FOLLOWS:
		return on_follows(events);
	case WIRE_DATA:
		on_data(events);
		return 0;
	case WIRE_OPERATION:
		on_operation(events);
		return 0;
	default:
		return apply_note(events);
	}
}

int effects_apply(struct effects *events)
{
	unsigned kind = events->state->event->kind;

	if (events->empty != TASK_NONE && kind_timed(kind))
		complete_empty(events);
	if (kind_timed(kind))
		events->signals_by = kind == WIRE_SIGNAL_BY;
	switch ((enum wire_kind)kind) {
	case WIRE_ROOT:
		return on_root(events);
	case WIRE_BEGIN:
		return on_begin(events);
	case WIRE_MEMBER:
		return on_member(events);
	case WIRE_START:
		return on_start(events);
	case WIRE_RESUME:
		return on_resume(events);
	case WIRE_CREATE:
		return on_create(events);
	case WIRE_FORK:
		return on_fork(events);
	case WIRE_WAIT:
		return on_wait(events);
	case WIRE_YIELD:
		return on_yield(events);
	case WIRE_SIGNAL:
		return on_signal(events);
	case WIRE_END:
		return on_end(events);
	case WIRE_DISCARD:
		return on_discard(events);
	case WIRE_DISCARD_NAMED:
		return on_discard_named(events);
	case WIRE_SIGNAL_BY:
		on_signal_by(events);
		return 0;
	default:
		return apply_untimed(events);
	}
}

/* ---- order ---- */

/* A RESUME: the younger task may be what the older one waits for. */
static unsigned rank_resume(const struct effects *events, uint32_t task)
{
	const struct state *state = events->state;
	const struct live *live = task & MADE_TEAM ? NULL : state_live(state, task);

	if (!live || state_is_running(state, task))
		return NONE; /* to be created, begun or suspended yet */
	if (join_satisfied(events->join, live))
		return 2;
	if (!join_all_arrived(events->join, live))
		return NONE - 2;
	/* whom a taskgroup or a team still waits for is not known; it may be nobody */
	return join_is_open(events->join, live) ? NONE - 3 - task
						: MADE_TEAM - join_elder(events->join, live);
}

/* A BEGIN or START: after whom the task depends on. */
static unsigned rank_begin(const struct effects *events, uint32_t task)
{
	struct depend *depend = events->depend;

	if (task & MADE_TEAM)
		return NONE; /* to be created yet */
	if (!(events->state->task_flags[task] & BUILD_DEPENDS) ||
	    (depend_satisfied(depend, depend_preds(depend, task)) &&
	     depend_awaited_done(depend, task)))
		return 1;
	return NONE - 1;
}

unsigned effects_rank(const void *context, uint32_t worker, const struct event *event)
{
	const struct effects *events = context;
	const struct ids *ids = &events->state->ids;

	(void)worker;
	switch (event->kind) {
	case WIRE_BEGIN:
		return rank_begin(events, ids_of(ids, event->b));
	case WIRE_START:
		return rank_begin(events, ids_named(ids, event->b));
	case WIRE_ROOT:
		return 1;
	case WIRE_DISCARD:
	case WIRE_MEMBER:
		return ids_of(ids, event->b) == NONE ? NONE : 1;
	case WIRE_DISCARD_NAMED:
		return ids_named(ids, event->b) == TASK_NONE ? NONE : 1;
	case WIRE_RESUME:
		return rank_resume(events, ids_of(ids, event->b));
	default:
		return 0;
	}
}

/* SPDX-License-Identifier: MIT */
/* signals.c - keeps the latest signal of each object, and where the one before is noted. */
#include "tools/dag/signals.h"

#include <stdlib.h>

void signal_open(struct signals *signals, struct state *state)
{
	*signals = (struct signals){ .state = state };
}

void signal_free(struct signals *signals)
{
	free(signals->signal);
	map_free(&signals->by_object);
	map_free(&signals->handle);
	*signals = (struct signals){ 0 };
}

static struct signal *last(const struct signals *signals, uint64_t object)
{
	const uint64_t *index = map_find(&signals->by_object, object);

	return index ? &signals->signal[*index - 1] : NULL;
}

const struct signal *signal_last(const struct signals *signals, uint64_t object)
{
	return last(signals, object);
}

int signal_edge(struct signals *signals, const struct signal *signal, task_id waiter)
{
	if (!signal || signals->state->dag->strand[signal->strand].task == waiter)
		return 0;
	return state_edge(signals->state, signal->strand);
}

uint32_t signal_place(const struct signals *signals, uint64_t object)
{
	const struct signal *signal = last(signals, object);

	return signal ? signal->note : 0;
}

int signal_edges(struct signals *signals, uint64_t object, uint32_t since, task_id waiter)
{
	const struct dag *dag = signals->state->dag;
	const struct signal *signal = last(signals, object);
	uint32_t note = signal ? signal->note : 0;
	int error = signal_edge(signals, signal, waiter);

	while (!error && note && note != since) {
		strand_id from = dag->object[note - 1].strand;

		state_spend(signals->state, 1);
		note = dag->object[note - 1].before;
		if (from != signal->strand && dag->strand[from].task != waiter)
			error = state_edge(signals->state, from);
	}
	return error;
}

/* Its note, chained to that of the object's signal before. */
static uint32_t chain(struct dag *dag, uint32_t before)
{
	if (dag->n_objects > UINT32_MAX)
		return 0;
	dag->object[dag->n_objects - 1].before = before;
	return (uint32_t)dag->n_objects;
}

/* The signal is that of the task's handle. */
static void claim(struct signals *signals, struct signal *signal, task_id task)
{
	uint64_t *done_by = map_put(&signals->state->done_by, task);

	*done_by = signal->strand;
	signal->claimed = true;
	signals->state->task_flags[task] |= BUILD_SIGNALLED;
}

void signal_give(struct signals *signals, uint64_t object, strand_id strand, task_id *task)
{
	uint64_t *index = map_put(&signals->by_object, object);
	uint64_t *handle = map_find(&signals->handle, object);
	struct signal *signal;

	*task = TASK_NONE;
	if (*index == 0) {
		ARRAY_ADD(signals->signal, signals->n, signals->room, (struct signal){ 0 });
		*index = signals->n;
	}
	signal = &signals->signal[*index - 1];
	*signal = (struct signal){ strand, chain(signals->state->dag, signal->note),
				   signals->state->ns, false };
	if (!handle || *handle == 0)
		return;
	*task = (task_id)(*handle - 1);
	*handle = 0;
	claim(signals, signal, *task);
}

void signal_expect(struct signals *signals, uint64_t object, task_id task)
{
	struct signal *signal = last(signals, object);
	uint64_t *handle;

	signals->state->task_flags[task] |= BUILD_HANDLE;
	if (signal && !signal->claimed) { /* before it began */
		claim(signals, signal, task);
		return;
	}
	handle = map_put(&signals->handle, object);
	*handle = (uint64_t)task + 1;
}

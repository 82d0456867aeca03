/* SPDX-License-Identifier: MIT */
/* merge.c - merges the workers' events. */
#include "tools/dag/merge.h"

#include <errno.h>
#include <stdlib.h>

static int advance(struct merge *merge, uint32_t worker, struct err *err)
{
	struct cursor *cursor = &merge->cursor[worker];
	int got = cursor->at < cursor->n ? 1
		  : merge->unpack	 ? unpack_fill(merge->unpack, cursor, err)
					 : cursor_fill(cursor, err);

	if (got > 0) {
		merge->event[worker] = &cursor->event[cursor->at++];
		if (kind_timed(merge->event[worker]->kind))
			merge->ns[worker] = cursor_ns(cursor, merge->event[worker]->units);
	} else {
		merge->event[worker] = NULL;
		merge->ns[worker] = UINT64_MAX;
	}
	return got < 0 ? got : 0;
}

#define FEW 8u /* workers: to look at each takes less than a heap */

/* Moves a worker, whose time has only grown, down to its place. */
static void sink_down(struct merge *merge, uint32_t worker)
{
	uint32_t at = merge->place[worker];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= merge->n)
			break;
		if (child + 1 < merge->n &&
		    merge->ns[merge->heap[child + 1]] < merge->ns[merge->heap[child]])
			child++;
		if (merge->ns[merge->heap[child]] >= merge->ns[worker])
			break;
		merge->heap[at] = merge->heap[child];
		merge->place[merge->heap[at]] = at;
		at = child;
	}
	merge->heap[at] = worker;
	merge->place[worker] = at;
}

static inline void sink(struct merge *merge, uint32_t worker)
{
	if (merge->n > FEW)
		sink_down(merge, worker);
}

int merge_open(struct merge *merge, const struct reader *reader, struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	int error = 0;

	*merge = (struct merge){ .reader = reader, .n = n };
	merge->cursor = calloc(n + 1, sizeof(*merge->cursor));
	merge->decoder = decoder_new();
	merge->event = calloc(n + 1, sizeof(*merge->event));
	merge->ns = calloc(n + 1, sizeof(*merge->ns));
	merge->heap = calloc(n + 1, sizeof(*merge->heap));
	merge->place = calloc(n + 1, sizeof(*merge->place));
	if (!merge->cursor || !merge->decoder || !merge->event || !merge->ns || !merge->heap ||
	    !merge->place)
		return err_set(err, ENOMEM, "out of memory");
	merge->unpack = unpack_open(reader);
	for (uint32_t i = 0; i < n && !error; i++) {
		cursor_open(&merge->cursor[i], reader, i);
		cursor_borrow(&merge->cursor[i], merge->decoder);
		error = advance(merge, i, err);
		merge->heap[i] = merge->place[i] = i;
	}
	for (uint32_t i = n; i-- > 0 && !error;)
		sink(merge, merge->heap[i]);
	merge->worker = n;
	return error;
}

void merge_close(struct merge *merge)
{
	unpack_close(merge->unpack);
	for (uint32_t i = 0; merge->cursor && i < merge->n; i++)
		cursor_close(&merge->cursor[i]);
	decoder_free(merge->decoder);
	free(merge->cursor);
	free(merge->event);
	free(merge->ns);
	free(merge->heap);
	free(merge->place);
	*merge = (struct merge){ 0 };
}

static inline uint32_t earliest_of_few(const struct merge *merge, uint64_t *second_ns)
{
	const uint64_t *of = merge->ns;
	uint64_t first_ns = of[0], next_ns = UINT64_MAX;
	uint32_t first = 0, n = merge->n;

	for (uint32_t i = 1; i < n; i++) { /* no branches: nobody can tell who comes next */
		uint64_t ns = of[i];
		uint64_t later_ns = ns < first_ns ? first_ns : ns;

		first = ns < first_ns ? i : first;
		first_ns = ns < first_ns ? ns : first_ns;
		next_ns = later_ns < next_ns ? later_ns : next_ns;
	}
	*second_ns = next_ns;
	return first;
}

/* The earliest worker, and the time of the second earliest. */
static inline uint32_t earliest(const struct merge *merge, uint64_t *second_ns)
{
	*second_ns = UINT64_MAX;
	if (merge->n <= FEW)
		return earliest_of_few(merge, second_ns);
	for (uint32_t i = 1; i <= 2 && i < merge->n; i++)
		if (merge->ns[merge->heap[i]] < *second_ns)
			*second_ns = merge->ns[merge->heap[i]];
	return merge->heap[0];
}

/* Among the workers whose next event is at that time, the one that has to wait least. */
static uint32_t first_of_equals(struct merge *merge, uint64_t ns)
{
	uint32_t best = merge->n;
	unsigned best_rank = 0;

	merge->n_steps += merge->n;
	for (uint32_t i = 0; i < merge->n; i++) {
		if (merge->ns[i] != ns || !merge->event[i])
			continue;
		unsigned rank = merge->rank(merge->context, i, merge->event[i]);

		if (best == merge->n || rank < best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

void merge_by_cause(struct merge *merge)
{
	merge->by_cause = true;
}

/* The earliest worker whose next event can have happened; if none can, the earliest of all. */
static uint32_t first_possible(struct merge *merge)
{
	uint32_t best = merge->n, first = 0;

	merge->n_steps += merge->n;
	for (uint32_t i = 0; i < merge->n; i++) {
		if (merge->ns[i] < merge->ns[first])
			first = i;
		if (merge->event[i] && (best == merge->n || merge->ns[i] < merge->ns[best]) &&
		    merge->rank(merge->context, i, merge->event[i]) != UINT32_MAX)
			best = i;
	}
	return best < merge->n ? best : first;
}

static int next_by_cause(struct merge *merge, const struct event **event, uint64_t *ns)
{
	uint32_t worker = merge->worker;

	if (worker == merge->n || !merge->event[worker] || kind_timed(merge->event[worker]->kind))
		worker = first_possible(merge);
	merge->worker = worker;
	*event = merge->event[worker];
	if (*event && merge->now_ns > merge->ns[worker] &&
	    merge->now_ns - merge->ns[worker] > merge->moved_ns) {
		merge->moved_ns = merge->now_ns - merge->ns[worker];
		merge->moved_at_ns = merge->now_ns;
	}
	if (*event && merge->ns[worker] > merge->now_ns)
		merge->now_ns = merge->ns[worker];
	*ns = merge->now_ns;
	return *event != NULL;
}

int merge_switch(struct merge *merge, const struct event **event, uint64_t *ns)
{
	uint32_t worker = merge->worker;
	uint64_t second_ns;

	if (worker < merge->n)
		sink(merge, worker);
	worker = earliest(merge, &second_ns);
	merge->until_ns = second_ns;
	if (merge->ns[worker] == second_ns && merge->event[worker])
		worker = first_of_equals(merge, second_ns);
	merge->worker = worker;
	*event = merge->event[worker];
	*ns = merge->ns[worker];
	return *event != NULL;
}

int merge_turn(struct merge *merge, const struct event **event, uint64_t *ns, struct err *err)
{
	uint32_t worker = merge->worker;

	if (merge->n == 0)
		return 0;
	if (worker < merge->n) { /* step on from what was given last */
		int error = advance(merge, worker, err);

		if (error)
			return error;
	}
	if (merge->by_cause)
		return next_by_cause(merge, event, ns);
	if (worker == merge->n ||
	    (merge->ns[worker] >= merge->until_ns &&
	     !(merge->event[worker] && !kind_timed(merge->event[worker]->kind))))
		return merge_switch(merge, event, ns);
	*event = merge->event[worker];
	*ns = merge->ns[worker];
	return *event != NULL;
}

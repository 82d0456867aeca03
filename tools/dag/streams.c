/* SPDX-License-Identifier: MIT */
/* streams.c - merges the workers' events. */
#include "tools/dag/streams.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/table.h"

#define BATCH_EVENTS 1024u /* one fits into the L2 cache of who takes it */
#define FEW 8u		   /* workers: to look at each takes less than a heap */

/* ---- the next event of a worker ---- */

static int advance(struct streams *streams, uint32_t worker, struct err *err)
{
	struct cursor *cursor = &streams->cursor[worker];
	int got = cursor->at < cursor->n ? 1
		  : streams->unpack	 ? unpack_fill(streams->unpack, cursor, err)
					 : cursor_fill(cursor, err);

	if (got > 0) {
		const struct event *event = &cursor->event[cursor->at++];

		streams->event[worker] = event;
		if (kind_timed(event->kind))
			streams->ns[worker] = cursor_ns(cursor, event->units);
	} else {
		streams->event[worker] = NULL;
		streams->ns[worker] = UINT64_MAX;
	}
	return got < 0 ? got : 0;
}

/* ---- who is the earliest ---- */

/* Moves a worker, whose time has only grown, down to its place. */
static void sink_down(struct streams *streams, uint32_t worker)
{
	uint32_t at = streams->place[worker];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= streams->n)
			break;
		if (child + 1 < streams->n &&
		    streams->ns[streams->heap[child + 1]] < streams->ns[streams->heap[child]])
			child++;
		if (streams->ns[streams->heap[child]] >= streams->ns[worker])
			break;
		streams->heap[at] = streams->heap[child];
		streams->place[streams->heap[at]] = at;
		at = child;
	}
	streams->heap[at] = worker;
	streams->place[worker] = at;
}

static inline void sink(struct streams *streams, uint32_t worker)
{
	if (streams->n > FEW)
		sink_down(streams, worker);
}

static inline uint32_t earliest_of_few(const struct streams *streams, uint64_t *second_ns)
{
	const uint64_t *of = streams->ns;
	uint64_t first_ns = of[0], next_ns = UINT64_MAX;
	uint32_t first = 0, n = streams->n;

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
static inline uint32_t earliest(const struct streams *streams, uint64_t *second_ns)
{
	if (streams->n <= FEW)
		return earliest_of_few(streams, second_ns);
	*second_ns = UINT64_MAX;
	for (uint32_t i = 1; i < 3 && i < streams->n; i++)
		if (streams->ns[streams->heap[i]] < *second_ns)
			*second_ns = streams->ns[streams->heap[i]];
	return streams->heap[0];
}

/* ---- batches ---- */

static bool batch_fails(struct batch *batch, int error)
{
	batch->error = error;
	return false;
}

/* Adds the worker's next event, and goes on to the one after it.  Whether that could be done. */
static inline bool give(struct streams *streams, uint32_t worker, struct batch *batch)
{
	struct streamed *entry;
	int error;

	if (!array_grow(&batch->entry, &batch->room, batch->n + 1ull, sizeof(*batch->entry)))
		return batch_fails(batch, err_set(&batch->err, ENOMEM, "out of memory"));
	entry = &batch->entry[batch->n++];
	entry->event = *streams->event[worker];
	entry->ns = streams->ns[worker];
	entry->worker = worker;
	error = advance(streams, worker, &batch->err);
	entry->next_ns = streams->ns[worker];
	entry->next_kind = streams->event[worker] ? streams->event[worker]->kind : WIRE_NONE;
	return !error || batch_fails(batch, error);
}

/* Adds the worker's events up to one that is not before until_ns. */
static inline bool give_until(struct streams *streams, uint32_t worker, uint64_t until_ns,
			      uint32_t n_most, struct batch *batch)
{
	const struct event *const *next = &streams->event[worker];

	do
		if (!give(streams, worker, batch))
			return false;
	while (*next && batch->n < n_most &&
	       (!kind_timed((*next)->kind) || streams->ns[worker] < until_ns));
	sink(streams, worker);
	return true;
}

/* Adds the events of that time of all workers. */
static void give_group(struct streams *streams, uint64_t ns, struct batch *batch)
{
	uint32_t first = batch->n;
	bool given = true;

	if (!array_grow(&batch->group, &batch->group_room, batch->n_groups + 1ull,
			sizeof(*batch->group))) {
		batch_fails(batch, err_set(&batch->err, ENOMEM, "out of memory"));
		return;
	}
	for (uint32_t i = 0; i < streams->n && given; i++)
		if (streams->ns[i] == ns && streams->event[i])
			given = give_until(streams, i, ns + 1, UINT32_MAX, batch);
	batch->group[batch->n_groups++] = (struct group){ first, batch->n - first };
}

void streams_fill(struct streams *streams, struct batch *batch)
{
	batch->n = batch->n_groups = 0;
	while (batch->n < BATCH_EVENTS && !batch->error && !batch->last) {
		uint64_t second_ns;
		uint32_t worker = streams->n ? earliest(streams, &second_ns) : 0;

		if (!streams->n || !streams->event[worker])
			batch->last = true;
		else if (streams->ns[worker] == second_ns)
			give_group(streams, second_ns, batch);
		else
			give_until(streams, worker, second_ns, BATCH_EVENTS, batch);
	}
}

/* ---- by cause ---- */

/* The earliest worker whose next event can have happened; if none can, the earliest of all. */
static uint32_t first_possible(const struct streams *streams, streams_rank *rank,
			       const void *context)
{
	uint32_t best = streams->n, first = 0;

	for (uint32_t i = 0; i < streams->n; i++) {
		if (streams->ns[i] < streams->ns[first])
			first = i;
		if (streams->event[i] &&
		    (best == streams->n || streams->ns[i] < streams->ns[best]) &&
		    rank(context, i, streams->event[i]) != UINT32_MAX)
			best = i;
	}
	return best < streams->n ? best : first;
}

uint64_t streams_fill_by_cause(struct streams *streams, struct batch *batch, streams_rank *rank,
			       const void *context)
{
	uint32_t worker = streams->worker;
	bool turns = worker == streams->n || !streams->event[worker] ||
		     kind_timed(streams->event[worker]->kind);

	if (turns && streams->n)
		worker = first_possible(streams, rank, context);
	batch->n = 0;
	batch->last = !streams->n || !streams->event[worker];
	if (batch->last)
		return turns ? streams->n : 0;
	if (streams->now_ns > streams->ns[worker] &&
	    streams->now_ns - streams->ns[worker] > streams->moved_ns) {
		streams->moved_ns = streams->now_ns - streams->ns[worker];
		streams->moved_at_ns = streams->now_ns;
	}
	if (streams->ns[worker] > streams->now_ns)
		streams->now_ns = streams->ns[worker];
	streams->worker = worker;
	give(streams, worker, batch);
	if (batch->n)
		batch->entry[0].ns = streams->now_ns;
	return turns ? streams->n : 0;
}

/* ---- open and close ---- */

void batch_close(struct batch *batch)
{
	free(batch->entry);
	free(batch->group);
	*batch = (struct batch){ 0 };
}

int streams_open(struct streams *streams, const struct reader *reader, uint32_t n_unpack,
		 struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	int error = 0;

	*streams = (struct streams){ .reader = reader,
				     .cursor = calloc(n + 1ull, sizeof(*streams->cursor)),
				     .decoder = decoder_new(),
				     .event = calloc(n + 1ull, sizeof(*streams->event)),
				     .ns = calloc(n + 1ull, sizeof(*streams->ns)),
				     .heap = calloc(n + 1ull, sizeof(*streams->heap)),
				     .place = calloc(n + 1ull, sizeof(*streams->place)),
				     .n = n,
				     .worker = n };
	if (!streams->cursor || !streams->decoder || !streams->event || !streams->ns ||
	    !streams->heap || !streams->place)
		return err_set(err, ENOMEM, "out of memory");
	streams->unpack = unpack_open(reader, n_unpack);
	for (uint32_t i = 0; i < n && !error; i++) {
		cursor_open(&streams->cursor[i], reader, i);
		cursor_borrow(&streams->cursor[i], streams->decoder);
		error = advance(streams, i, err);
		streams->heap[i] = streams->place[i] = i;
	}
	for (uint32_t i = n; i-- > 0 && !error;)
		sink(streams, streams->heap[i]);
	return error;
}

void streams_close(struct streams *streams)
{
	unpack_close(streams->unpack);
	for (uint32_t i = 0; streams->cursor && i < streams->n; i++)
		cursor_close(&streams->cursor[i]);
	decoder_free(streams->decoder);
	free(streams->cursor);
	free(streams->event);
	free(streams->ns);
	free(streams->heap);
	free(streams->place);
	*streams = (struct streams){ 0 };
}

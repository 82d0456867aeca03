/* SPDX-License-Identifier: MIT */
/* streams.c - takes what each worker did in a span of time, and puts that in order. */
#include "tools/dag/streams.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

#define INTERLEAVE_END UINT64_MAX

/* key[first..end-1], and key[end] is INTERLEAVE_END; the next run begins at end + 1. */
struct run {
	uint32_t first, end;
};

static void two(const uint64_t *a, const uint64_t *b, uint64_t *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = *a, y = *b;
		uint64_t first = x < y;

		out[i] = first ? x : y;
		a += first;
		b += !first;
	}
	out[n] = INTERLEAVE_END;
}

/*
 * No two keys are equal, and the first run begins at 0.  `other` has room for as many keys.  Where
 * the keys are: from the beginning of one of the two.  run[] is used up; n > 0.
 */
static uint64_t *interleave(uint64_t *key, uint64_t *other, struct run *run, uint32_t n)
{
	while (n > 1) {
		uint64_t *from = key;

		for (uint32_t i = 0; i < n / 2; i++) {
			struct run a = run[2 * i], b = run[2 * i + 1];
			uint32_t n_keys = a.end - a.first + b.end - b.first;

			two(key + a.first, key + b.first, other + a.first, n_keys);
			run[i] = (struct run){ a.first, a.first + n_keys };
		}
		if (n % 2) {
			struct run last = run[n - 1];

			memcpy(other + last.first, key + last.first,
			       (last.end - last.first + 1) * sizeof(*key));
			run[n / 2] = last;
		}
		n = (n + 1) / 2;
		key = other;
		other = from;
	}
	return key;
}

/* Events of a batch: one fits into the L2 cache of who takes it, but for very many workers. */
#define BATCH_EVENTS 1024u
#define BATCH_WORKERS 2048u
#define BATCH_TIMES 4u
#define EVENTS_A_WORKER 8u /* or looking at all workers takes longer than at their events */

/* A key: the time since the batch begins, and the number of the entry. */
#define KEY_ENTRY_BITS 24
#define BATCH_MOST ((1u << KEY_ENTRY_BITS) - 1)
#define BATCH_SPAN_NS (UINT64_C(1) << 39)

/* ---- the next event of a worker ---- */

/* Goes on to the worker's next block, if there is no more in memory.  1, 0 at the end, -errno. */
static inline int fill(struct streams *streams, struct cursor *cursor, struct err *err)
{
	if (cursor->at < cursor->n)
		return 1;
	return streams->unpack ? unpack_fill(streams->unpack, cursor, err)
			       : cursor_fill(cursor, err);
}

/* Before this time, the worker has no more than `ahead` events. */
static uint64_t ahead_ns(struct streams *streams, uint32_t worker)
{
	struct cursor *cursor = &streams->cursor[worker];

	if (cursor->n - cursor->at > streams->ahead)
		return cursor_ns(cursor, cursor->event[cursor->at + streams->ahead].units);
	if (cursor->next_block == reader_blocks(streams->reader, worker))
		return UINT64_MAX;
	return cursor_ns(cursor,
			 reader_block(streams->reader, worker, cursor->next_block)->first_units);
}

/* ---- batches ---- */

static bool batch_fails(struct batch *batch, int error)
{
	batch->error = error;
	return false;
}

static struct slice *new_slice(struct batch *batch, uint32_t worker)
{
	struct slice *slice;

	slice = ARRAY_ADD(batch->slice, batch->n_slices, batch->slice_room,
			  (struct slice){ .worker = worker, .first = batch->n, .end = batch->n });
	return slice;
}

/*
 * Adds the worker's events up to one that is not before until_ns, at least one and at most n_most,
 * and goes on to the one after them.  Whether that could be done.
 */
static bool take_slice(struct streams *streams, uint32_t worker, uint64_t until_ns, uint32_t n_most,
		       struct batch *batch)
{
	struct cursor *cursor = &streams->cursor[worker];
	struct slice *slice = new_slice(batch, worker);
	const struct event *event = streams->event[worker];
	uint64_t ns = streams->ns[worker];
	uint32_t n = batch->n, stop = (uint32_t)at_most(BATCH_MOST + 1, (uint64_t)n + n_most);
	int got;

	do {
		array_grow(&batch->entry, &batch->room, n + 1ull, sizeof(*batch->entry));
		batch->entry[n].event = *event;
		batch->entry[n++].ns = ns;
		got = fill(streams, cursor, &batch->err);
		event = got > 0 ? &cursor->event[cursor->at++] : NULL;
		if (!event)
			ns = UINT64_MAX;
		else if (kind_timed(event->kind))
			ns = cursor_ns(cursor, event->units);
	} while (event && n < stop && (!kind_timed(event->kind) || ns < until_ns));
	batch->n = slice->end = n;
	slice->next_kind = event ? event->kind : WIRE_NONE;
	slice->next_ns = ns;
	streams->event[worker] = event;
	streams->ns[worker] = ns;
	return got >= 0 || batch_fails(batch, got);
}

/* Before this time is as much as a batch should have, and all of what was at the same time. */
static uint64_t until(struct streams *streams, uint64_t first_ns)
{
	uint64_t until_ns = first_ns + BATCH_SPAN_NS;

	for (uint32_t i = 0; i < streams->n_live; i++)
		until_ns = at_most(until_ns, ahead_ns(streams, streams->live[i]));
	return at_least(first_ns + 1, until_ns);
}

static uint64_t earliest_ns(const struct streams *streams)
{
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t i = 0; i < streams->n_live; i++)
		first_ns = at_most(first_ns, streams->ns[streams->live[i]]);
	return first_ns;
}

/* Adds what all workers did before that time.  Whether that could be done. */
static bool take_slices(struct streams *streams, uint64_t until_ns, uint32_t n_most,
			struct batch *batch)
{
	uint32_t n_live = 0;

	for (uint32_t i = 0; i < streams->n_live; i++) {
		uint32_t worker = streams->live[i];

		if (streams->ns[worker] < until_ns &&
		    !take_slice(streams, worker, until_ns, n_most, batch))
			return false;
		streams->live[n_live] = worker;
		n_live += streams->event[worker] != NULL;
	}
	streams->n_live = n_live;
	return true;
}

/* Room to bring the batch in order. */
static void has_room(struct streams *streams, struct batch *batch)
{
	uint64_t n_keys = batch->n + (uint64_t)batch->n_slices;

	array_grow(&batch->order, &batch->order_room, batch->n + BATCH_PAST, sizeof(*batch->order));
	array_grow(&batch->group, &batch->group_room, batch->n, sizeof(*batch->group));
	array_grow(&streams->key[0], &streams->key_room[0], n_keys, sizeof(uint64_t));
	array_grow(&streams->key[1], &streams->key_room[1], n_keys, sizeof(uint64_t));
}

/* The keys of the entries, in order. */
static const uint64_t *sorted_keys(struct streams *streams, const struct batch *batch,
				   uint64_t first_ns)
{
	uint64_t *key = streams->key[0];

	for (uint32_t s = 0; s < batch->n_slices; s++) {
		const struct slice *slice = &batch->slice[s];

		streams->run[s] = (struct run){ slice->first + s, slice->end + s };
		for (uint32_t i = slice->first; i < slice->end; i++)
			key[i + s] = (batch->entry[i].ns - first_ns) << KEY_ENTRY_BITS | i;
		key[slice->end + s] = INTERLEAVE_END;
	}
	return interleave(key, streams->key[1], streams->run, batch->n_slices);
}

/* Notes what several workers did at the time of order[at]; key[] is that of the batch, in order.
 * Returns what is behind it. */
static uint32_t note_group(struct batch *batch, const uint64_t *key, uint32_t at)
{
	uint32_t end = at + 1;

	while (end < batch->n && key[end] >> KEY_ENTRY_BITS == key[at] >> KEY_ENTRY_BITS)
		end++;
	if (batch->entry[key[at] & BATCH_MOST].event.worker !=
	    batch->entry[key[end - 1] & BATCH_MOST].event.worker)
		batch->group[batch->n_groups++] = (struct group){ at, end - at };
	return end;
}

static void end_order(struct batch *batch)
{
	for (uint32_t i = 0; i < BATCH_PAST; i++)
		batch->order[batch->n + i] = batch->order[batch->n - 1];
}

static void put_in_order(struct streams *streams, struct batch *batch, uint64_t first_ns)
{
	const uint64_t *key = sorted_keys(streams, batch, first_ns);
	uint32_t behind = 0; /* the newest group, or what may be none */

	for (uint32_t i = 0; i < batch->n; i++) {
		batch->order[i] = &batch->entry[key[i] & BATCH_MOST];
		if (i && (key[i] ^ key[i - 1]) <= BATCH_MOST && i > behind)
			behind = note_group(batch, key, i - 1) - 1;
	}
	end_order(batch);
}

/* The next batch is to have about as much as one should, and never BATCH_TIMES as much. */
static void look_ahead(struct streams *streams, uint32_t n_wanted, uint32_t n)
{
	uint32_t most = n_wanted * BATCH_TIMES / (streams->n_live + 1);

	if (n > n_wanted || streams->ahead > most)
		streams->ahead -= streams->ahead / 4;
	else if (n < n_wanted / 2)
		streams->ahead += (uint32_t)at_most(streams->ahead / 4 + 1, most - streams->ahead);
}

void streams_fill(struct streams *streams, struct batch *batch)
{
	uint32_t n_live = streams->n_live;
	uint32_t n_wanted =
		(uint32_t)at_least(BATCH_EVENTS, at_most(BATCH_WORKERS, n_live) * EVENTS_A_WORKER);
	uint64_t first_ns = earliest_ns(streams);

	batch->n = batch->n_slices = batch->n_groups = 0;
	batch->last = n_live == 0;
	if (batch->last)
		return;
	if (!take_slices(streams, until(streams, first_ns), n_live > 1 ? UINT32_MAX : n_wanted,
			 batch))
		; /* it says why */
	else if (batch->n > BATCH_MOST)
		batch_fails(batch, err_set(&batch->err, EFBIG, "%s: too many events at one time",
					   reader_facts(streams->reader)->path));
	else {
		has_room(streams, batch);
		put_in_order(streams, batch, first_ns);
	}
	if (batch->error)
		batch->n = 0;
	look_ahead(streams, n_wanted, batch->n);
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
	batch->n = batch->n_slices = 0;
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
	if (take_slice(streams, worker, 0, 1, batch)) {
		has_room(streams, batch);
		batch->order[0] = &batch->entry[0];
		batch->entry[0].ns = streams->now_ns;
		end_order(batch);
	}
	if (batch->error)
		batch->n = 0;
	return turns ? streams->n : 0;
}

/* ---- open and close ---- */

void batch_close(struct batch *batch)
{
	free(batch->entry);
	free(batch->order);
	free(batch->slice);
	free(batch->group);
	*batch = (struct batch){ 0 };
}

/* The worker's first event.  0 or -errno. */
static int begin(struct streams *streams, uint32_t worker, struct err *err)
{
	struct cursor *cursor = &streams->cursor[worker];
	int got;

	cursor_open(cursor, streams->reader, worker);
	cursor_borrow(cursor, streams->decoder);
	got = fill(streams, cursor, err);
	streams->ns[worker] = UINT64_MAX;
	if (got <= 0)
		return got;
	streams->event[worker] = &cursor->event[cursor->at++];
	streams->ns[worker] = kind_timed(streams->event[worker]->kind)
				      ? cursor_ns(cursor, streams->event[worker]->units)
				      : 0;
	streams->live[streams->n_live++] = worker;
	return 0;
}

int streams_open(struct streams *streams, const struct reader *reader, uint32_t n_unpack,
		 struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	int error = 0;

	*streams = (struct streams){ .reader = reader,
				     .cursor = xcalloc(n + 1ull, sizeof(*streams->cursor)),
				     .decoder = decoder_new(),
				     .event = xcalloc(n + 1ull, sizeof(*streams->event)),
				     .ns = xcalloc(n + 1ull, sizeof(*streams->ns)),
				     .live = xcalloc(n + 1ull, sizeof(*streams->live)),
				     .run = xcalloc(n + 1ull, sizeof(*streams->run)),
				     .n = n,
				     .ahead = 1 + BATCH_EVENTS / (n + 1),
				     .worker = n };
	streams->unpack = unpack_open(reader, n_unpack);
	for (uint32_t i = 0; i < n && !error; i++)
		error = begin(streams, i, err);
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
	free(streams->live);
	free(streams->key[0]);
	free(streams->key[1]);
	free(streams->run);
	*streams = (struct streams){ 0 };
}

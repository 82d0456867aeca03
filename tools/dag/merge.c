/* SPDX-License-Identifier: MIT */
/* merge.c - takes batches, and puts the events of their groups in order. */
#include "tools/dag/merge.h"

#include <pthread.h>
#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/threads.h"
#include "tools/base/xalloc.h"

/*
 * A thread that fills batches of events ahead of the one that takes them.
 *
 * From relay_open() to relay_close() the streams are that thread's.  It helps with the array, too.
 */

/* One is being taken, and one is being filled; so many that neither thread has to sleep often. */
#define BATCHES 64u

struct relay {
	struct streams *streams;
	struct prefault *prefault;
	pthread_t thread;

	pthread_mutex_t lock; /* for all below, but what is in the batches */
	pthread_cond_t filled, taken;
	uint64_t n_filled, n_taken; /* the newest that was taken is still in use */
	bool over;
	struct batch batch[BATCHES];
};

static bool is_full(const struct relay *relay)
{
	return relay->n_filled + 2 - relay->n_taken > BATCHES;
}

static void *fill_all(void *arg)
{
	struct relay *relay = arg;
	bool more = true;

	while (more) {
		struct batch *batch = &relay->batch[relay->n_filled % BATCHES];

		streams_fill(relay->streams, batch);
		prefault_more(relay->prefault);
		more = !batch->last && !batch->error;
		pthread_mutex_lock(&relay->lock);
		relay->n_filled++;
		pthread_cond_signal(&relay->filled);
		while (is_full(relay) && !relay->over)
			pthread_cond_wait(&relay->taken, &relay->lock);
		more = more && !relay->over;
		pthread_mutex_unlock(&relay->lock);
	}
	return NULL;
}

/* The next batch, good until the next call; not to be asked for after the last. */
static struct batch *relay_next(struct relay *relay)
{
	struct batch *batch = &relay->batch[relay->n_taken % BATCHES];

	pthread_mutex_lock(&relay->lock);
	while (relay->n_filled == relay->n_taken)
		pthread_cond_wait(&relay->filled, &relay->lock);
	relay->n_taken++;
	if (relay->n_filled - relay->n_taken == BATCHES / 2) /* not for each: it may sleep on */
		pthread_cond_signal(&relay->taken);
	pthread_mutex_unlock(&relay->lock);
	return batch;
}

/* NULL: no thread, or no memory. */
static struct relay *relay_open(struct streams *streams, struct prefault *prefault)
{
	struct relay *relay = xcalloc(1, sizeof(*relay));

	relay->streams = streams;
	relay->prefault = prefault;
	pthread_mutex_init(&relay->lock, NULL);
	pthread_cond_init(&relay->filled, NULL);
	pthread_cond_init(&relay->taken, NULL);
	if (pthread_create(&relay->thread, NULL, fill_all, relay) == 0)
		return relay;
	free(relay);
	return NULL;
}

/* NULL is fine */
static void relay_close(struct relay *relay)
{
	if (!relay)
		return;
	pthread_mutex_lock(&relay->lock);
	relay->over = true;
	pthread_cond_signal(&relay->taken);
	pthread_mutex_unlock(&relay->lock);
	pthread_join(relay->thread, NULL);
	pthread_cond_destroy(&relay->filled);
	pthread_cond_destroy(&relay->taken);
	pthread_mutex_destroy(&relay->lock);
	for (uint32_t i = 0; i < BATCHES; i++)
		batch_close(&relay->batch[i]);
	free(relay);
}

/* ---- groups ---- */

/* Whether the entry follows the one before it at once. */
static bool is_at_once(const struct streamed *entry, uint64_t ns)
{
	return !kind_timed(entry->event.kind) || entry->ns < ns;
}

/* A bit of several: another one, mostly, for another task. */
static uint64_t bit_of(const struct event *resume)
{
	return UINT64_C(1) << (resume->b * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Whose events are in the group. */
static void open_group(struct merge *merge, const struct group *group)
{
	struct streamed *const *order = merge->batch->order;
	uint32_t end = group->first + group->n;
	uint64_t others = 0, mine = 0; /* tasks that go on */

	merge->contested = false;
	for (uint32_t i = group->first; i < end; i++) {
		const struct event *event = &order[i]->event;

		if (i == group->first || event->worker != order[i - 1]->event.worker) {
			array_grow(&merge->member, &merge->room, merge->n_members + 1,
				   sizeof(*merge->member));
			if (merge->n_members)
				merge->member[merge->n_members - 1].end = i;
			merge->member[merge->n_members++] = (struct merge_member){ i, end };
			others |= mine;
			mine = 0;
		}
		if (event->kind == WIRE_RESUME) {
			mine |= bit_of(event);
			merge->contested |= (others & bit_of(event)) != 0;
		}
	}
}

/*
 * Of a task's strands that begin at this time on several workers, the latest is the one that ends
 * the task or outlasts the time.  One that did not move goes on where the task was, before others.
 */
#define LATE_MOVED 1u
#define LATE_LAST 2u
static unsigned lateness(struct merge *merge, uint32_t resume, uint32_t end)
{
	struct streamed *const *order = merge->batch->order;
	unsigned moved = 0;
	uint32_t at = resume + 1;

	for (; at < end && !kind_timed(order[at]->event.kind); at++)
		if (order[at]->event.kind == WIRE_MOVED)
			moved = LATE_MOVED;
	merge->n_steps += at - resume;
	return moved | (at == end || order[at]->event.kind == WIRE_END ? LATE_LAST : 0);
}

/* Whether the member's next event goes on with a task that another member goes on with before. */
static bool is_early(struct merge *merge, const struct merge_member *member)
{
	struct streamed *const *order = merge->batch->order;
	const struct event *resume = &order[member->at]->event;
	unsigned late = lateness(merge, member->at, member->end);

	for (uint64_t i = 0; late && i < merge->n_members; i++) {
		const struct merge_member *other = &merge->member[i];
		uint32_t at = other->at;

		while (at < other->end &&
		       (order[at]->event.kind != WIRE_RESUME || order[at]->event.b != resume->b))
			at++;
		merge->n_steps += at - other->at;
		if (at < other->end && lateness(merge, at, other->end) < late)
			return true;
	}
	return false;
}

/* Twice what merge->rank says, so that what is early has a place: only what never can be is later.
 */
#define RANK_EARLY (2 * (uint64_t)UINT32_MAX - 1)
static uint64_t rank_of(struct merge *merge, const struct merge_member *member, uint64_t below)
{
	const struct event *next = &merge->batch->order[member->at]->event;
	uint64_t rank = 2 * (uint64_t)merge->rank(merge->context, next->worker, next);

	if (merge->contested && next->kind == WIRE_RESUME && rank < below && rank < RANK_EARLY &&
	    is_early(merge, member))
		return RANK_EARLY;
	return rank;
}

/* The member whose next event has to wait least, the first of equals. */
static struct merge_member *first_of_group(struct merge *merge)
{
	struct merge_member *best = &merge->member[0];
	uint64_t best_rank = UINT64_MAX;

	if (merge->n_members == 1)
		return best;
	merge->n_steps += merge->n;
	for (uint64_t i = 0; i < merge->n_members; i++) {
		uint64_t rank = rank_of(merge, &merge->member[i], best_rank);

		if (rank < best_rank) {
			best = &merge->member[i];
			best_rank = rank;
		}
	}
	return best;
}

/* Goes on with the next event of one of the group, and what follows at once. */
static void turn_in_group(struct merge *merge)
{
	struct merge_member *member = first_of_group(merge);
	struct streamed *const *order = merge->batch->order;
	uint64_t ns = order[member->at]->ns;

	merge->at = member->at++;
	while (member->at < member->end && is_at_once(order[member->at], ns))
		member->at++;
	merge->stop = member->at;
	if (member->at < member->end)
		return;
	for (struct merge_member *last = &merge->member[--merge->n_members]; member < last;
	     member++)
		member[0] = member[1]; /* they stay in order */
}

/* ---- batches ---- */

static void next_batch(struct merge *merge)
{
	if (merge->relay)
		merge->batch = relay_next(merge->relay);
	else if (merge->by_cause)
		merge->n_steps += streams_fill_by_cause(&merge->streams, merge->batch, merge->rank,
							merge->context);
	else
		streams_fill(&merge->streams, merge->batch);
	merge->behind = merge->at_group = 0;
	for (uint32_t i = 0; i < merge->batch->n_slices; i++) {
		const struct slice *slice = &merge->batch->slice[i];

		merge->next[slice->worker] = (struct merge_next){ .at = slice->first,
								  .end = slice->end,
								  .kind = slice->next_kind,
								  .ns = slice->next_ns };
	}
}

/* Goes on behind what was handed on of the batch: to a group, or up to one. */
static void turn_in_batch(struct merge *merge)
{
	const struct batch *batch = merge->batch;
	const struct group *group = NULL;

	if (merge->at_group < batch->n_groups)
		group = &batch->group[merge->at_group];
	if (group && group->first == merge->behind) {
		merge->at_group++;
		merge->behind += group->n;
		open_group(merge, group);
		return;
	}
	merge->at = merge->behind;
	merge->stop = merge->behind = group ? group->first : batch->n;
}

int merge_turn(struct merge *merge, struct err *err)
{
	while (merge->at == merge->stop) {
		const struct batch *batch = merge->batch;

		if (merge->n_members) {
			turn_in_group(merge);
		} else if (merge->behind < batch->n) {
			turn_in_batch(merge);
		} else if (batch->error) {
			*err = batch->err;
			return batch->error;
		} else if (batch->last) {
			return 0;
		} else {
			next_batch(merge);
		}
	}
	return 1;
}

/* ---- open and close ---- */

int merge_open(struct merge *merge, const struct reader *reader, bool by_cause, struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	uint32_t n_threads = threads_for(reader_facts(reader)->n_events);
	bool relayed = n_threads > 1 && !by_cause;
	int error;

	*merge = (struct merge){ .n = n, .by_cause = by_cause };
	merge->batch = &merge->own;
	prefault_open(&merge->prefault);
	merge->next = xcalloc(n + 1ull, sizeof(*merge->next));
	error = streams_open(&merge->streams, reader, n_threads - 1 - relayed, err);
	if (!error && relayed)
		merge->relay = relay_open(&merge->streams, &merge->prefault);
	return error;
}

void merge_close(struct merge *merge)
{
	relay_close(merge->relay);
	prefault_close(&merge->prefault);
	streams_close(&merge->streams);
	batch_close(&merge->own);
	free(merge->member);
	free(merge->next);
	*merge = (struct merge){ 0 };
}

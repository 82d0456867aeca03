/* SPDX-License-Identifier: MIT */
/* unpack.c - threads that unpack what is needed next. */
#include "tools/dag/unpack.h"

#include <pthread.h>
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"

#define AHEAD 4u    /* blocks that a thread may be ahead */
#define HELPERS 16u /* more would be faster than who merges */

enum stage { UNTOUCHED, BEGUN, DONE, FAILED };

/* A block, of a worker; in the order in which they are needed. */
struct ahead {
	uint64_t needed_units; /* when the worker's block before ends */
	uint32_t worker, block;
	enum stage stage;
	uint32_t n; /* DONE: events */
	uint32_t room;
	struct event *event;
};

struct unpack {
	const struct reader *reader;
	struct ahead *ahead; /* n */
	uint32_t *at; /* the blocks' places in ahead[], by worker; of_worker[w] is its first */
	uint32_t *of_worker; /* n_workers */
	uint32_t n;
	pthread_t helper[HELPERS];
	uint32_t n_helpers;
	uint32_t most_out; /* blocks */

	pthread_mutex_t lock; /* for all below, and the stages */
	pthread_cond_t done;  /* a block is, that somebody waits for */
	pthread_cond_t taken; /* or it is all over */
	uint32_t next;	      /* all before it are begun */
	uint32_t n_out;	      /* begun by helpers, and not taken */
	bool over;
	struct event *spare[HELPERS * AHEAD]; /* events that were taken, to be used again */
	uint32_t spare_room[HELPERS * AHEAD];
	uint32_t n_spare;
};

static const struct wire_block *block_of(const struct unpack *unpack, const struct ahead *ahead)
{
	return reader_block(unpack->reader, ahead->worker, ahead->block);
}

/* ---- helpers ---- */

/* The next block to unpack; NULL when all is over.  With the lock. */
static struct ahead *begin_next(struct unpack *unpack)
{
	for (;;) {
		while (unpack->next < unpack->n && unpack->ahead[unpack->next].stage != UNTOUCHED)
			unpack->next++;
		if (unpack->over || unpack->next == unpack->n)
			return NULL;
		if (unpack->n_out < unpack->most_out)
			break;
		pthread_cond_wait(&unpack->taken, &unpack->lock);
	}
	unpack->n_out++;
	unpack->ahead[unpack->next].stage = BEGUN;
	return &unpack->ahead[unpack->next++];
}

/* Memory for its events: what was used before, if that is enough.  With the lock. */
static void take_spare(struct unpack *unpack, struct ahead *ahead)
{
	if (unpack->n_spare == 0)
		return;
	ahead->event = unpack->spare[--unpack->n_spare];
	ahead->room = unpack->spare_room[unpack->n_spare];
}

static void keep_spare(struct unpack *unpack, struct event *event, uint32_t room)
{
	if (!event || unpack->n_spare == unpack->most_out) {
		free(event);
		return;
	}
	unpack->spare[unpack->n_spare] = event;
	unpack->spare_room[unpack->n_spare++] = room;
}

/* Whether it could; who needs the block finds out why not. */
static bool unpack_one(const struct unpack *unpack, struct ahead *ahead, struct decoder *decoder)
{
	const struct wire_block *block = block_of(unpack, ahead);
	struct err unused;
	int n;

	if (ahead->room < block->n_events) {
		free(ahead->event);
		ahead->event = malloc(block->n_events * sizeof(*ahead->event));
		ahead->room = ahead->event ? block->n_events : 0;
	}
	if (!ahead->event || !decoder)
		return false;
	n = reader_unpack(unpack->reader, block, decoder, ahead->event, &unused);
	ahead->n = n < 0 ? 0 : (uint32_t)n;
	return n >= 0;
}

static void *help(void *arg)
{
	struct unpack *unpack = arg;
	struct decoder *decoder = decoder_new();
	struct ahead *ahead;

	pthread_mutex_lock(&unpack->lock);
	while ((ahead = begin_next(unpack)) != NULL) {
		bool could;

		take_spare(unpack, ahead);
		pthread_mutex_unlock(&unpack->lock);
		could = unpack_one(unpack, ahead, decoder);
		pthread_mutex_lock(&unpack->lock);
		ahead->stage = could ? DONE : FAILED;
		pthread_cond_signal(&unpack->done);
	}
	pthread_mutex_unlock(&unpack->lock);
	decoder_free(decoder);
	return NULL;
}

/* ---- who needs the blocks ---- */

/* Whether a helper has unpacked it, or does; else the caller is to.  With the lock. */
static bool await_helper(struct unpack *unpack, struct ahead *ahead)
{
	if (ahead->stage == UNTOUCHED) {
		ahead->stage = BEGUN;
		return false;
	}
	while (ahead->stage == BEGUN)
		pthread_cond_wait(&unpack->done, &unpack->lock);
	unpack->n_out--;
	pthread_cond_signal(&unpack->taken);
	return ahead->stage == DONE;
}

/* The worker's next block.  1, 0 at the end, -errno. */
static int fill_block(struct unpack *unpack, struct cursor *cursor, struct err *err)
{
	struct ahead *ahead;
	bool helped;

	if (cursor->next_block == reader_blocks(unpack->reader, cursor->worker))
		return 0;
	ahead = &unpack->ahead[unpack->at[unpack->of_worker[cursor->worker] + cursor->next_block]];
	pthread_mutex_lock(&unpack->lock);
	helped = await_helper(unpack, ahead);
	if (helped) {
		keep_spare(unpack, cursor->event, cursor->room);
		cursor->event = ahead->event;
		cursor->room = ahead->room;
		ahead->event = NULL;
	}
	pthread_mutex_unlock(&unpack->lock);
	if (!helped)
		return cursor_fill_block(cursor, err);
	cursor_take(cursor, ahead->n);
	return 1;
}

int unpack_fill(struct unpack *unpack, struct cursor *cursor, struct err *err)
{
	int got = fill_block(unpack, cursor, err);

	while (got > 0 && cursor->n == 0)
		got = fill_block(unpack, cursor, err);
	return got;
}

/* ---- open and close ---- */

ORDER(by_need, struct ahead, BY_LEAST(needed_units) ?: BY_LEAST(worker) ?: BY_LEAST(block))

static void list_blocks(struct unpack *unpack)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < reader_facts(unpack->reader)->n_workers; w++) {
		uint64_t needed_units = 0;

		unpack->of_worker[w] = n;
		for (uint32_t i = 0; i < reader_blocks(unpack->reader, w); i++) {
			unpack->ahead[n++] = (struct ahead){ .needed_units = needed_units,
							     .worker = w,
							     .block = i };
			needed_units = reader_block(unpack->reader, w, i)->last_units;
		}
	}
	SORT(unpack->ahead, n, by_need);
	for (uint32_t i = 0; i < n; i++)
		unpack->at[unpack->of_worker[unpack->ahead[i].worker] + unpack->ahead[i].block] = i;
	unpack->n = n;
}

struct unpack *unpack_open(const struct reader *reader, uint32_t n_threads)
{
	const struct reader_facts *facts = reader_facts(reader);
	uint32_t n_helpers = at_most(HELPERS, n_threads);
	struct unpack *unpack = n_helpers ? calloc(1, sizeof(*unpack)) : NULL;

	if (!unpack)
		return NULL;
	unpack->reader = reader;
	unpack->most_out = n_helpers * AHEAD;
	pthread_mutex_init(&unpack->lock, NULL);
	pthread_cond_init(&unpack->done, NULL);
	pthread_cond_init(&unpack->taken, NULL);
	unpack->ahead = malloc((facts->n_blocks + 1) * sizeof(*unpack->ahead));
	unpack->at = malloc((facts->n_blocks + 1) * sizeof(*unpack->at));
	unpack->of_worker = malloc((facts->n_workers + 1ull) * sizeof(*unpack->of_worker));
	if (unpack->ahead && unpack->at && unpack->of_worker) {
		list_blocks(unpack);
		while (unpack->n_helpers < n_helpers &&
		       pthread_create(&unpack->helper[unpack->n_helpers], NULL, help, unpack) == 0)
			unpack->n_helpers++;
	}
	if (unpack->n_helpers)
		return unpack;
	unpack_close(unpack);
	return NULL;
}

void unpack_close(struct unpack *unpack)
{
	if (!unpack)
		return;
	pthread_mutex_lock(&unpack->lock);
	unpack->over = true;
	pthread_cond_broadcast(&unpack->taken);
	pthread_mutex_unlock(&unpack->lock);
	for (uint32_t i = 0; i < unpack->n_helpers; i++)
		pthread_join(unpack->helper[i], NULL);
	for (uint32_t i = 0; i < unpack->n; i++)
		free(unpack->ahead[i].event);
	for (uint32_t i = 0; i < unpack->n_spare; i++)
		free(unpack->spare[i]);
	pthread_cond_destroy(&unpack->taken);
	pthread_cond_destroy(&unpack->done);
	pthread_mutex_destroy(&unpack->lock);
	free(unpack->ahead);
	free(unpack->at);
	free(unpack->of_worker);
	free(unpack);
}

/* SPDX-License-Identifier: MIT */
/* relay.c - a ring of batches between two threads. */
#include "tools/dag/relay.h"

#include <pthread.h>
#include <stdlib.h>

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

struct batch *relay_next(struct relay *relay)
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

struct relay *relay_open(struct streams *streams, struct prefault *prefault)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
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

void relay_close(struct relay *relay)
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

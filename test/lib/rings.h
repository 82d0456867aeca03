/* SPDX-License-Identifier: MIT */
/*
 * rings.h - for tests of the collector: a session without a program, whose rings they fill
 * themselves.
 *
 * Ticks are ns of CLOCK_MONOTONIC.
 */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/drain.h"

struct rings {
	struct session *session;
	struct worker **worker; /* n of them */
	uint32_t n;
};

static struct worker *rings_worker(void *arg, uint32_t index)
{
	const struct rings *rings = arg;

	return index < rings->n ? rings->worker[index] : NULL;
}

/* Workers with room for n_slots events each and some, whose trace is `output`.  False: no memory.
 */
static inline bool rings_open(struct rings *rings, uint32_t n, uint32_t n_slots, const char *output)
{
	struct session *session = aligned_alloc(_Alignof(struct session), sizeof(*session));

	if (session)
		memset(session, 0, sizeof(*session));
	*rings = (struct rings){ session, calloc(n, sizeof(*rings->worker)), n };
	if (!session || !rings->worker)
		return false;
	session->clock.source = CLOCK_SOURCE_MONOTONIC;
	session->begin = clock_pair(&session->clock);
	session->chunks = (struct chunk_sizes){ .n = 5, .slots = n_slots / 4 };
	if (session->chunks.slots > CHUNK_EVENTS)
		session->chunks.slots = CHUNK_EVENTS;
	session->pending_slots = PENDING_SLOTS;
	session->pid = (int)getpid();
	session->process.quiet = 1;
	session->process.output = 1;
	strcpy(session->text + 1, output);
	for (uint32_t i = 0; i < n; i++) {
		rings->worker[i] =
			aligned_alloc(WORKER_PAGE, (worker_place(&session->chunks) + WORKER_PAGE -
						    1) & ~(size_t)(WORKER_PAGE - 1));
		if (!rings->worker[i])
			return false;
		memset(rings->worker[i], 0, chunk_head_bytes(&session->chunks));
		rings->worker[i]->sizes = session->chunks;
		atomic_store(&rings->worker[i]->n_chunks, session->chunks.n);
		chunk_begin(chunk_at(rings->worker[i], 0), 0);
	}
	atomic_store(&session->n_workers, n);
	return true;
}

static inline struct chunk *rings_chunk(struct worker *worker)
{
	return chunk_at(worker, worker->chunk);
}

/* Slots that are left of the chunk that is filled. */
static inline uint64_t rings_left(struct worker *worker)
{
	struct chunk *chunk = rings_chunk(worker);
	uint64_t used = atomic_load(&worker->head) - atomic_load(&chunk->first);

	return chunk_state_of(chunk_word(chunk)) == CHUNK_FILLING ? worker->sizes.slots - used : 0;
}

/* Slots that are free. */
static inline uint64_t rings_room(struct worker *worker)
{
	uint64_t n = rings_left(worker);

	for (uint32_t i = 0; i < worker->sizes.n; i++)
		if (chunk_state_of(chunk_word(chunk_at(worker, i))) <= CHUNK_TAKEN)
			n += worker->sizes.slots;
	return n;
}

/* The worker goes on in a free chunk, which there is. */
static inline void rings_next(struct worker *worker)
{
	uint64_t head = atomic_load(&worker->head);

	if (chunk_state_of(chunk_word(rings_chunk(worker))) == CHUNK_FILLING)
		chunk_finish(rings_chunk(worker), head);
	for (uint32_t i = 0; i < worker->sizes.n; i++) {
		struct chunk *chunk = chunk_at(worker, i);
		enum chunk_state state = chunk_state_of(chunk_word(chunk));

		if (state == CHUNK_FREE || (state == CHUNK_TAKEN && chunk_reuse(chunk))) {
			chunk_begin(chunk, head);
			worker->chunk = i;
			return;
		}
	}
	abort();
}

/* Puts events into chunks that have room for them. */
static inline void rings_put(struct worker *worker, const struct wire_event *event, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t head = atomic_load(&worker->head);

		if (rings_left(worker) == 0)
			rings_next(worker);
		chunk_slots(worker, &worker->sizes,
			    worker->chunk)[worker->sizes.slots - rings_left(worker)] = event[i];
		atomic_store_explicit(&worker->head, head + 1, memory_order_release);
	}
}

/* Likewise events that stand for `made` others, in a chunk of their own. */
static inline void rings_put_thinned(struct worker *worker, const struct wire_event *event,
				     uint32_t n, uint64_t made)
{
	uint64_t head = atomic_load(&worker->head);

	rings_next(worker);
	memcpy(chunk_slots(worker, &worker->sizes, worker->chunk), event, n * sizeof(*event));
	atomic_store(&rings_chunk(worker)->word, CHUNK_FREE);
	atomic_store_explicit(&worker->head, head + made, memory_order_release);
	chunk_replace(rings_chunk(worker), rings_chunk(worker), head + made, n);
}

static inline int rings_start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	return -pthread_create(thread, NULL, run, arg);
}

static const struct thread_calls rings_threads = { rings_start_thread, pthread_join };

static inline void rings_close(struct rings *rings)
{
	for (uint32_t i = 0; rings->worker && i < rings->n; i++)
		free(rings->worker[i]);
	free(rings->worker);
	free(rings->session);
}

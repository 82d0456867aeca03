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

/* Workers with n_slots slots each (a power of two), whose trace is `output`.  False: no memory. */
static inline bool rings_open(struct rings *rings, uint32_t n, uint64_t n_slots, const char *output)
{
	struct session *session = aligned_alloc(_Alignof(struct session), sizeof(*session));

	if (session)
		memset(session, 0, sizeof(*session));
	*rings = (struct rings){ session, calloc(n, sizeof(*rings->worker)), n };
	if (!session || !rings->worker)
		return false;
	session->clock.source = CLOCK_SOURCE_MONOTONIC;
	session->begin = clock_pair(&session->clock);
	session->ring_slots = n_slots;
	session->hold_slots = HOLD_ROOM;
	session->pid = (int)getpid();
	session->process.quiet = 1;
	session->process.output = 1;
	strcpy(session->text + 1, output);
	for (uint32_t i = 0; i < n; i++) {
		rings->worker[i] = aligned_alloc(WORKER_PAGE, (worker_place(n_slots) + WORKER_PAGE -
							       1) & ~(size_t)(WORKER_PAGE - 1));
		if (!rings->worker[i])
			return false;
		memset(rings->worker[i], 0, sizeof(struct worker));
		rings->worker[i]->ring_mask = n_slots - 1;
	}
	atomic_store(&session->n_workers, n);
	return true;
}

/* Slots that are free. */
static inline uint64_t rings_room(struct worker *worker)
{
	return worker->ring_mask + 1 - (atomic_load(&worker->head) - atomic_load(&worker->tail));
}

/* Puts events into a ring that has room for them. */
static inline void rings_put(struct worker *worker, const struct wire_event *event, uint64_t n)
{
	uint64_t head = atomic_load(&worker->head);

	for (uint64_t i = 0; i < n; i++)
		worker_slots(worker)[(head + i) & worker->ring_mask] = event[i];
	atomic_store_explicit(&worker->head, head + n, memory_order_release);
}

static inline int rings_start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	return -pthread_create(thread, NULL, run, arg);
}

static const struct lane_threads rings_threads = { rings_start_thread, pthread_join };

static inline void rings_close(struct rings *rings)
{
	for (uint32_t i = 0; rings->worker && i < rings->n; i++)
		free(rings->worker[i]);
	free(rings->worker);
	free(rings->session);
}

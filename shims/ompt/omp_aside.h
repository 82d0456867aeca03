/* SPDX-License-Identifier: MIT */
/*
 * omp_aside.h - what is kept of a call in which tasks of OpenMP may run (aside.h).
 *
 * Tasks stay on their thread, which has an aside until its call returns.
 */
#pragma once

#include "shims/common/aside_pool.h"
#include "shims/ompt/ompt_stay.h"

/*
 * A task that waits for dependences: its own, or those of a task that it creates.  libgomp forgets
 * the event of a detachable task that it runs meanwhile: such a task is complete at its end.
 * [task.c, gomp_task_maybe_wait_for_dependencies()]
 */
struct gomp_await {
	record_id task, created; /* or 0 */
};

#define OMP_BLOCK_BYTES 608u

struct omp_aside {
	struct aside head;
	union {
		struct ompt_loop loop;
		struct ompt_stay stay;
		record_id wrapped;
		struct gomp_await await; /* what was the thread's before */
	};
	char *large; /* .. of large_bytes; it stays for the next one that has this memory */
	size_t large_bytes;
	_Alignas(16) char block[OMP_BLOCK_BYTES];
};

extern struct pool omp_aside_pool CALL_HIDDEN;

_Static_assert(sizeof(struct aside_list) <= WORKER_PLACE_BYTES, "has room");

static inline struct aside_list *omp_asides(struct worker *worker)
{
	return pool_place(worker, POOL_OMP);
}

/* Hot path: whether one is free; that one. */
static inline bool omp_aside_is_free(struct worker *worker)
{
	return omp_asides(worker)->spare.first;
}

static inline struct omp_aside *omp_aside_take(struct worker *worker,
					       void *(*back)(struct aside *aside, void *returned))
{
	return aside_take(omp_asides(worker), worker, back);
}

/* An aside for the call that is made now; NULL as aside_more() says. */
static inline struct omp_aside *omp_aside_open(struct worker *worker,
					       void *(*back)(struct aside *aside, void *returned))
{
	return aside_open(&omp_aside_pool, omp_asides(worker), worker, back);
}

/* Hot path: its call is over, on its thread; of one that is not recorded it is lost.  False: the
 * call throws, as by pthread_exit() in a task: that runs to the end then, and none goes on. */
static inline bool omp_aside_close(struct worker *worker, struct omp_aside *aside)
{
	bool is_back = !aside_threw(&aside->head);

	if (__builtin_expect(worker != NULL, 1))
		aside_close(&omp_aside_pool, omp_asides(worker), worker, &aside->head);
	return is_back;
}

/* Of a taskloop: ompt_loop_close(). */
void *omp_loop_back(struct aside *aside, void *returned) CALL_HIDDEN;

/* So much memory, until it is closed; NULL: there is none, and it is closed, as a lost call. */
char *omp_aside_room(struct omp_aside *aside, size_t bytes) CALL_HIDDEN;

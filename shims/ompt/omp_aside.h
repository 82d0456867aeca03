/* SPDX-License-Identifier: MIT */
/*
 * omp_aside.h - what is kept of a call in which tasks of OpenMP may run (aside.h).
 *
 * Tasks stay on their thread, which has an aside until its call returns.  That of a call that never
 * does, after longjmp() or pthread_exit(), is lost.
 */
#pragma once

#include "shims/common/aside.h"
#include "shims/common/pool.h"
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
		struct {
			const void *data;	 /* the program's, good until the call returns */
			struct gomp_await await; /* what was the thread's before */
		};
	};
	char *large; /* .. of large_bytes; it stays for the next one that has this memory */
	size_t large_bytes;
	_Alignas(16) char block[OMP_BLOCK_BYTES];
};

/* Of a thread, in its worker's memory. */
struct omp_asides {
	struct pool_list spare;
	const struct omp_aside *plain; /* gomp_task.c: the one whose block was made last */
};
_Static_assert(sizeof(struct omp_asides) <= WORKER_PLACE_BYTES, "has room");

extern struct pool omp_aside_pool CALL_HIDDEN;

static inline struct omp_asides *omp_asides(struct worker *worker)
{
	return pool_place(worker, POOL_OMP);
}

/* Hot path: an aside for the call that is made now; counted as a lost call if there is no memory:
 * NULL. */
static inline struct omp_aside *omp_aside_open(struct worker *worker,
					       void *(*back)(struct aside *aside, void *returned))
{
	struct omp_aside *aside =
		pool_take(&omp_aside_pool, &omp_asides(worker)->spare, worker->index);

	if (__builtin_expect(!aside, 0)) {
		record_lost_call();
		return NULL;
	}
	aside->head.back = back;
	return aside;
}

/* Hot path: its call is back, on its thread; of one that is not recorded it is lost. */
static inline void omp_aside_close(struct worker *worker, struct omp_aside *aside)
{
	if (__builtin_expect(worker != NULL, 1))
		pool_give(&omp_aside_pool, &omp_asides(worker)->spare, worker->index, aside);
}

/* Of a taskloop: ompt_loop_close(). */
void *omp_loop_back(struct aside *aside, void *returned) CALL_HIDDEN;

/* So much memory, until it is closed; NULL: there is none, and it is closed, as a lost call. */
char *omp_aside_room(struct omp_aside *aside, size_t bytes) CALL_HIDDEN;

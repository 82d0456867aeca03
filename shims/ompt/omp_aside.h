/* SPDX-License-Identifier: MIT */
/*
 * omp_aside.h - what is kept of a call in which tasks of OpenMP may run (aside.h).
 *
 * Tasks stay on their thread, which has an aside until its call returns.  That of a call that never
 * does, after longjmp(), is taken back when there are many (omp_aside_more()).
 */
#pragma once

#include "shims/common/aside.h"
#include "shims/common/pool.h" /* pool_place() */
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
	union {
		struct aside head;
		struct omp_aside *next; /* of one that is spare */
	};
	const uintptr_t *stack; /* where the call was made: behind the return address; or NULL */
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

/* Of a thread, in its worker's memory. */
struct omp_asides {
	struct omp_aside *spare;
	struct omp_chunk *chunks; /* all memory: omp_aside.c */
	uint64_t n;		  /* asides there are; .. */
	uint64_t n_look;	  /* .. so many, and one looks for lost ones */
};
_Static_assert(sizeof(struct omp_asides) <= WORKER_PLACE_BYTES, "has room");

static inline struct omp_asides *omp_asides(struct worker *worker)
{
	return pool_place(worker, POOL_OMP);
}

/* Where none is spare: has one there, of calls from deeper in the stack that will never be back, or
 * new.  False: there is no memory, which is counted as a lost call. */
bool omp_aside_more(struct omp_asides *asides, const uintptr_t *stack) CALL_HIDDEN;

/* Hot path: the spare one, for the call that is made now, with its arguments on that stack. */
static inline struct omp_aside *omp_aside_take(struct worker *worker, const uintptr_t *stack,
					       void *(*back)(struct aside *aside, void *returned))
{
	struct omp_asides *asides = omp_asides(worker);
	struct omp_aside *aside = asides->spare;

	asides->spare = aside->next;
	aside->head.back = back;
	aside->stack = stack;
	return aside;
}

/* NULL as omp_aside_more() says. */
static inline struct omp_aside *omp_aside_open(struct worker *worker, const uintptr_t *stack,
					       void *(*back)(struct aside *aside, void *returned))
{
	struct omp_asides *asides = omp_asides(worker);

	if (__builtin_expect(!asides->spare, 0) && !omp_aside_more(asides, stack))
		return NULL;
	return omp_aside_take(worker, stack, back);
}

/* Hot path: its call is over, on its thread; of one that is not recorded it is lost.  False: the
 * call throws, as by pthread_exit() in a task: that runs to the end then, and none goes on. */
static inline bool omp_aside_close(struct worker *worker, struct omp_aside *aside)
{
	bool is_back = !aside_threw(&aside->head);

	if (__builtin_expect(worker != NULL, 1)) {
		aside->next = omp_asides(worker)->spare;
		omp_asides(worker)->spare = aside;
	}
	return is_back;
}

/* Of a taskloop: ompt_loop_close(). */
void *omp_loop_back(struct aside *aside, void *returned) CALL_HIDDEN;

/* So much memory, until it is closed; NULL: there is none, and it is closed, as a lost call. */
char *omp_aside_room(struct omp_aside *aside, size_t bytes) CALL_HIDDEN;

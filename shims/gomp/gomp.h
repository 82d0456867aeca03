/* SPDX-License-Identifier: MIT */
/*
 * gomp.h - what the wrappers of libgomp's entry points share: the real functions.
 *
 * ABI facts: libgomp's entry points are never called by libgomp itself, so that what a wrapper
 * sees is what the compiled program asked for.  No task or call ever changes thread.
 *
 * libomp has the same entry points (head.other): there callbacks tell of tasks and regions
 * (ompt.h), and a wrapper only says where, when, and for how long.
 */
#pragma once

#include "shims/common/row.h"
#include "shims/ompt/omp_aside.h"

typedef void (*gomp_fn)(void *);
typedef void (*gomp_cpyfn)(void *, void *);

#include "shims/gomp/gomp_functions.h"

#define GOMP_PLAIN_MAX 512 /* bytes of a task's data that go the plain way */

struct gomp {
	struct instance head; /* other: libomp */
	GOMP_FUNCTIONS(CALL_POINTER)
	GOMP_ASKED(CALL_POINTER)
};
enum gomp_entry { GOMP_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(gomp)

/* The region or task that this thread runs: whose calls are made from where nobody can tell. */
struct gomp_thread {
	struct gomp *gomp;
	record_id group;	 /* the team */
	struct gomp_await await; /* the innermost */
};
extern __thread struct gomp_thread gomp_thread __attribute__((tls_model("initial-exec")))
CALL_HIDDEN;

/* Hot path: callsite_worker_inside(). */
static inline struct worker *gomp_worker(const struct callsite *callsite)
{
	return __builtin_expect(gomp_of(callsite)->head.other, 0)
		       ? ompt_worker(callsite)
		       : callsite_worker_inside(callsite);
}

/* Hot path: a strand of worker->task has ended, and the runtime is about to be called. */
static inline struct stay gomp_leave(const struct callsite *callsite, struct worker *worker)
{
	return __builtin_expect(gomp_of(callsite)->head.other, 0) ? stay_close(worker)
								  : stay_keep(worker);
}

/* The call is back: the task that made it goes on. */
void *gomp_aside_back(struct aside *aside, void *returned) CALL_HIDDEN;

struct gomp_await_stay {
	struct stay stay;
	struct gomp_await outer;
};

/* gomp_leave() of a call that may wait for dependences: of `created` or, if 0, of the task. */
static inline struct gomp_await_stay gomp_await_leave(const struct callsite *callsite,
						      struct worker *worker, record_id created)
{
	struct gomp_await outer = gomp_thread.await;

	gomp_thread.await = (struct gomp_await){ worker->task, created };
	return (struct gomp_await_stay){ gomp_leave(callsite, worker), outer };
}

static inline void gomp_await_return(const struct gomp_await_stay *await)
{
	gomp_thread.await = await->outer;
	stay_resume(&await->stay);
}

/* The team whose code runs here. */
static inline record_id gomp_team(const struct callsite *callsite)
{
	return gomp_of(callsite)->head.other ? ompt_thread.team : gomp_thread.group;
}

/* gomp_wait.c: writes the WIRE_DEPEND events of a depend array, in either layout. */
void gomp_depends(struct worker *worker, void **depend) CALL_HIDDEN;
/* A wait for dependences, and a task without code for its own. */
void gomp_wait_depend(struct worker *worker, const struct callsite *callsite,
		      void **depend) CALL_HIDDEN;
void gomp_create_empty(struct worker *worker, const struct callsite *callsite,
		       void **depend) CALL_HIDDEN;

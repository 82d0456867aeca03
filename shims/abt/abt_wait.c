/* SPDX-License-Identifier: MIT */
/* abt_wait.c - places where a ULT waits or lets others go on, by the list. */
#include "shims/abt/abt.h"

#include "preload/poison.h"

#define WRAP_ABT(after, ...)                                                                       \
	WRAP_ROW(abt, abt_worker(callsite), abt_leave(worker), after, __VA_ARGS__)
#define WAITS(...) WRAP_ABT(abt_return(&stay), __VA_ARGS__)
#define LOCKS(...) WRAP_ABT((clock_fence(), abt_return(&stay)), __VA_ARGS__)

/* ---- suspending ---- */

static void resume_first(struct worker *worker, const struct callsite *callsite, uintptr_t thread)
{
	wrap_signal(worker, callsite, abt_resumed(thread));
	record_resume(worker, worker->task);
}

static void suspend(struct worker *worker, const struct callsite *callsite, uintptr_t resumed)
{
	void *self = NULL;

	abt_of(callsite)->ABT_self_get_thread(&self);
	if (resumed)
		resume_first(worker, callsite, resumed);
	wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, abt_resumed((uintptr_t)self));
}

static void resume_and_yield(struct worker *worker, const struct callsite *callsite,
			     uintptr_t resumed)
{
	resume_first(worker, callsite, resumed);
	wrap_yield(worker, callsite);
}

#define AWAITS(...)                                                                                \
	WRAP_ABT((abt_return(&stay), wrap_held_again(callsite, a2)), __VA_ARGS__, wrap_wait_cond,  \
		 a1, a2)

ABT_IN_WAIT(CALL_ROW)

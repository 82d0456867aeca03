/* SPDX-License-Identifier: MIT */
/* mth_wait.c - functions that only pass on what they get, by the list: MassiveThreads' own, and
 * those of pthread's names that programs are linked to by ld --wrap (libmyth-ld). */
#include "shims/mth/mth_wrap.h"

#include "preload/poison.h"

static bool is_detached(uintptr_t attr)
{
	return attr && ((const struct mth_attr *)attr)->detached;
}

/* ---- the runtime itself ---- */

#define INITS(result, name, n)                                                                     \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		uintptr_t returned = mth_of(callsite)->name(NAMES(n));                             \
                                                                                                   \
		if (worker)                                                                        \
			mth_count_workers(mth_of(callsite));                                       \
		return returned;                                                                   \
	}

/* The main thread goes back to the OS thread that it began on. */
static void leave_runtime(struct worker *worker, const struct callsite *callsite)
{
	wrap_yield(worker, callsite);
	atomic_store_explicit(&mth_of(callsite)->is_counted, false, memory_order_relaxed);
}

MTH_IN_WAIT(CALL_ROW)
MTH_PTHREAD(CALL_ROW, __wrap_)

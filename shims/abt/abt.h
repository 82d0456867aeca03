/* SPDX-License-Identifier: MIT */
/*
 * abt.h - what the wrappers of Argobots' entry points share.
 *
 * ABI facts: a ULT has a stack of its own, 16 KiB by default, and may go on on another OS thread
 * after each call that blocks or yields; a tasklet runs on its scheduler's stack.  The library
 * calls the program's schedulers and pools, which call it again.  All entry points are plain
 * functions, and none has versions.  [abt.h, thread.c of Argobots 1.2]
 *
 *	handle	an ABT_thread or ABT_task, a pointer to the descriptor; the creator knows it when
 *		it goes on, if it asked for one.  A revived thread has the same again
 *	birth	what the runtime gets as the task's argument in place of the program's: the
 *		program may ask for its own as long as the handle is valid
 */
#pragma once

#include "shims/common/row.h"

typedef void (*abt_func)(void *);

#include "shims/abt/abt_functions.h"

struct abt {
	struct instance head;
	ABT_FUNCTIONS(CALL_POINTER)
	ABT_ASKED(CALL_POINTER)
};
enum abt_entry { ABT_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(abt)

/* The main ULT's task, which is in a call of the runtime (abt_leave()) or is not. */
extern _Atomic record_id abt_primary CALL_HIDDEN;
extern _Atomic bool abt_primary_inside CALL_HIDDEN;

/* Whether the caller, which is in no task, is the main ULT in its code, or a thread of the program
 * that is none of Argobots'; else it is a scheduler, say. */
bool abt_is_program(const struct abt *abt) CALL_HIDDEN;

/* Makes the number of execution streams known.  One more may have come since. */
void abt_count_workers(const struct abt *abt) CALL_HIDDEN;

/* ---- how a task is inside the runtime: wrap.h ---- */

/* Schedulers and pools are no tasks: what they lock or wait for is the runtime's. */
static inline struct worker *abt_worker(const struct callsite *callsite)
{
	struct worker *worker = callsite_worker(callsite);

	return worker && worker->task ? worker : NULL;
}

static inline struct stay abt_leave(struct worker *worker)
{
	if (__builtin_expect(worker->task == atomic_load(&abt_primary), 0))
		atomic_store(&abt_primary_inside, true);
	return stay_leave(worker);
}

static inline void abt_return(const struct stay *stay)
{
	if (__builtin_expect(stay->task == atomic_load(&abt_primary), 0))
		atomic_store(&abt_primary_inside, false);
	stay_return(stay);
}

/* By what a suspended thread is known to who resumes it; its handle is by what it is joined. */
static inline uintptr_t abt_resumed(uintptr_t thread)
{
	return thread | 1;
}

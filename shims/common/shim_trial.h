/* SPDX-License-Identifier: MIT */
/*
 * shim_trial.h - what a shim needs to have tried out what recording takes of a program
 * (preload/trial.h).
 *
 * A trial calls the shim's wrappers as a program would.  They find the stand-in instance of the
 * runtime (struct callsite_runtime), since the code that calls them is TRIAL_BODY.  Its functions
 * return at once, or run the task that they are handed; none is the runtime's.
 */
#pragma once

#include "preload/trial.h"
#include "shims/common/callsite.h"

#define TRIAL_SITE 1u	/* of all calls of a trial; no trace has it */
#define TRIAL_TASKS 128 /* that a trial makes, with a wait for each two, as a tree of pairs has */
#define TRIAL_STRANDS (2 * TRIAL_TASKS + TRIAL_TASKS / 2) /* each call of the program ends one */

/* Marks the functions that call the wrappers, which return to them. */
#define TRIAL_BODY __attribute__((noinline, section("trial_body")))

/* From the linker; not there in a shim without trials. */
extern const char __start_trial_body[] CALL_HIDDEN __attribute__((weak));
extern const char __stop_trial_body[] CALL_HIDDEN __attribute__((weak));

static inline bool trial_calls(uintptr_t return_address)
{
	return return_address - (uintptr_t)__start_trial_body <
	       (uintptr_t)__stop_trial_body - (uintptr_t)__start_trial_body;
}

/* No less is what a runtime takes to queue a task, or to begin or end one. */
static inline void trial_work(void)
{
	static uint64_t sum;

	trial_steps(1, &sum);
}

/* Tells callsite.c of a trial, once the shim is loaded. */
#define TRIAL(runtime, trial_function, instance)                                                   \
	static __attribute__((constructor)) void runtime##_tell_trial(void)                        \
	{                                                                                          \
		runtime##_callsites.stand_in = instance;                                           \
		atomic_store(&runtime##_callsites.trial, trial_function);                          \
	}

/* A trial by make(), to which the instance does not matter: as record_trial(). */
#define TRIAL_PLAIN(name, make, n_strands, n_shared, stand_in)                                     \
	static bool name##_try(const void *instance)                                               \
	{                                                                                          \
		const struct instance *head = instance;                                            \
                                                                                                   \
		record_trial(head->runtime, make, n_strands, n_shared);                            \
		return true;                                                                       \
	}                                                                                          \
	TRIAL(name, name##_try, stand_in)

/* NAME_tried is the wrapper: the shim's own, whatever else the process has of that name. */
#define TRIAL_OF(runtime, name, function)                                                          \
	extern __typeof__(*((struct runtime *)0)->name) name##_tried __asm__(#function "_on")      \
		CALL_HIDDEN;

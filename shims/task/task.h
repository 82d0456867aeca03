/* SPDX-License-Identifier: MIT */
/*
 * task.h - the shim behind tptrace_task.h: runtimes that mark what they do.
 *
 * Nothing is wrapped: the header finds tptrace_task_find(), and calls the marks of its table.
 *
 *	mark	one call of the header.  It is checked, so that a trace never contradicts itself on
 *		one thread: a mark that is out of place is counted, and not recorded
 *	handle	a tptrace_task_t: the task's id, and in the bits that an id never has whether it
 *		has begun, and which child of fork() made it.  0 is none
 *	name	by which the trace knows a task that is waited for.  It has 60 bits, for `depend
 *		on`, and is no address
 */
#pragma once

#include "shims/common/callsite.h"
#include "shims/common/stay.h"
#include "shims/task/tptrace_task.h"

/* ---- handles ---- */

#define HANDLE_BEGUN (UINT64_C(1) << 47)
#define HANDLE_FORKS_AT 44 /* 3 bits */
#define HANDLE_FORKS (UINT64_C(7) << HANDLE_FORKS_AT)
#define HANDLE_UNRECORDED HANDLE_FORKS /* created where nothing was recorded: no id */

_Static_assert((HANDLE_BEGUN | HANDLE_FORKS) == WORKER_TASK_BITS, "ids have no such bits");

/* This process's, in place: 0 at first, one more in a child of fork(); 7 is for HANDLE_UNRECORDED.
 */
extern uint64_t task_forks CALL_HIDDEN;

static inline tptrace_task_t handle_of(record_id id)
{
	return id | task_forks;
}

/* The task's id; 0 if there is none, or if it is a task of the parent process. */
static inline record_id handle_id(tptrace_task_t handle)
{
	return (handle & HANDLE_FORKS) == task_forks ? handle & ~WORKER_TASK_BITS : 0;
}

#define NAME_BIT (UINT64_C(1) << 59)
#define NAME_N_BITS 43

static inline uint64_t name_of(record_id id)
{
	return NAME_BIT | id >> 48 << NAME_N_BITS | (id & ((UINT64_C(1) << NAME_N_BITS) - 1));
}

/* ---- runtimes ---- */

struct task_runtime {
	struct instance head;
	char name[32], version[32];
};

extern const struct callsite_runtime task_runtime CALL_HIDDEN;
extern struct callsites task_callsites CALL_HIDDEN;

/* Makes the runtime known; its number, from 1. */
uint32_t task_declare(struct tptrace_runtime *runtime) CALL_HIDDEN;

/* The number's instance: the runtime as instance.h has it. */
struct task_runtime *task_instance(uint32_t number) CALL_HIDDEN;

/* The first call from there. */
struct callsite *task_callsite_slow(struct tptrace_runtime *runtime, const void *site,
				    void *function) CALL_HIDDEN __attribute__((noinline));

/* Hot path: where a mark is called from, with the code that it hands over. */
static inline struct callsite *task_callsite(struct tptrace_runtime *runtime, const void *site,
					     void *function)
{
	uint32_t number = __atomic_load_n(&runtime->number, __ATOMIC_RELAXED);
	struct callsite *callsite =
		callsite_at_hand(&task_callsites, (void *)(uintptr_t)site, function, number);

	return __builtin_expect(callsite != NULL, 1) ? callsite
						     : task_callsite_slow(runtime, site, function);
}

/* ---- names and values ---- */

/* task_names.c.  *site becomes that which has the name, or the value, besides; an address that is
 * NULL is `from`.  False: there is no room, and it stays. */
bool task_name(const void **site, const void *from, const char *name, const char *file,
	       uint32_t line) CALL_HIDDEN;
bool task_value(const void **site, const void *from, const char *key, int64_t value) CALL_HIDDEN;

/* The recorder's site of a callsite's address, which may be one of these. */
uint32_t task_site(void *instance, uintptr_t site, uintptr_t function) CALL_HIDDEN;

/* ---- marks that contradict others ---- */

enum task_misuse {
	TASK_LEAVES_NOTHING,
	TASK_BEGINS_AGAIN,
	TASK_ENDS_NOTHING,
	TASK_RESUMES_NOTHING,
	TASK_UNKNOWN,
	TASK_UNNAMED,
	TASK_NO_ACCESS,
	TASK_NO_CLOCK,
	TASK_ENDS_EARLY,
	TASK_MISUSES
};

/* Counts it; the report says so, in a note on the runtime.  Any thread. */
void task_misused(enum task_misuse what) CALL_HIDDEN __attribute__((noinline, cold));

/* ---- devices: task_device.c ---- */

void mark_clock(struct tptrace_device *device, uint64_t ticks) CALL_HIDDEN;
void mark_operation(struct tptrace_device *device, uint64_t begin, uint64_t end, uint64_t bytes,
		    const void *site) CALL_HIDDEN;

/* For the header: the marks; NULL for a later one, whose table has more of them. */
CALL_EXPORT const struct tptrace_task_calls *tptrace_task_find(uint32_t bytes);

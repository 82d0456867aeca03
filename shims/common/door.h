/* SPDX-License-Identifier: MIT */
/*
 * door.h - a wrapper that is a jump: to what records, or, once nothing will be recorded in this
 * process, to the runtime's own function.
 *
 * A program that is not recorded pays one jump a call.  A compiler would save registers and load
 * all arguments first, for the sake of what is done else; so the wrapper is no C, and what records
 * (NAME_on) is entered as the wrapper was, with the program's return address.  call.c leads all
 * doors of a runtime to its functions at once, as soon as it is known that nothing is recorded.
 *
 * On other machines than x86-64 there are no doors; DOOR_WRAPPER() is the wrapper itself then, and
 * asks call_off() first (WRAP_IF_OFF(), wrap.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "shims/common/segment.h"

struct calls;

struct door {
	void *_Atomic to;    /* first: where the wrapper jumps */
	struct calls *calls; /* the runtime's */
	size_t at;	     /* of the real function's pointer in the runtime's struct */
	struct door *next;
};
void door_make(struct door *door) CALL_HIDDEN;

#if defined(__x86_64__) && defined(__LP64__)
#define DOORS true
/* What follows is the body of what records. */
#define DOOR_WRAPPER(runtime, result, wrapper, name, parameters)                                   \
	CALL_HIDDEN result name##_on parameters;                                                   \
	CALL_HIDDEN struct door name##_door                                                        \
		__attribute__((used)) = { (void *)name##_on, &runtime##_calls,                     \
					  offsetof(struct runtime, name), NULL };                  \
	static __attribute__((constructor)) void name##_door_make(void)                            \
	{                                                                                          \
		door_make(&name##_door);                                                           \
	}                                                                                          \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")    \
		CALL_EXPORT __attribute__((naked)) result wrapper parameters                       \
	{                                                                                          \
		__asm__("jmp *" #name "_door(%rip)");                                              \
	}                                                                                          \
	_Pragma("GCC diagnostic pop") CALL_HIDDEN result name##_on parameters
#else
#define DOORS false
#define DOOR_WRAPPER(runtime, result, wrapper, name, parameters)                                   \
	CALL_EXPORT result wrapper parameters
#endif

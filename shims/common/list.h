/* SPDX-License-Identifier: MIT */
/*
 * list.h - what a shim makes of the one list of its runtime's functions.
 *
 *	#define RT_FUNCTIONS(F) F(int, rt_init, (void)) F(void, rt_spawn, (rt_fn fn, void *arg))
 *
 *	CALL_POINTER	of each a pointer to the real function, in struct rt, after its instance
 *	CALL_WRAPPER	.. the prototype of its wrapper, in the .c file that has it
 *	CALL_MADE	.. its wrapper, where several differ by little: F(int, rt_fork, (rt_fn fn),
 *			SPAWNS, 0) is made by the file's macro SPAWNS(int, rt_fork, (rt_fn fn), 0)
 *	CALL_ENTRY	.. a number, in enum rt_entry, for CALLSITE()
 *	CALL_DOOR	.. its door (door.h), for CALL_RUNTIME()
 *	CALL_NAME	.. its name, likewise
 *
 * CALL_DECLARE(rt) comes after struct rt, in the shim's header, and CALL_RUNTIME(rt, doors, names,
 * fields of struct callsite_runtime) is in one .c file.  RT_FUNCTIONS is made of a list for each
 * file of wrappers, RT_IN_FILE.  Another list, of functions that are asked and not wrapped, comes
 * last, and has pointers and names alone.
 */
#pragma once

#include "shims/common/door.h"

/* What follows the parameters is for CALL_MADE, or for row.h. */
#define CALL_POINTER(result, name, parameters, ...) result(*name) parameters;
#define CALL_WRAPPER(result, name, parameters, ...) DOOR_BEHIND(result, name, #name, parameters)
#define CALL_MADE(result, name, parameters, makes, ...)                                            \
	CALL_WRAPPER(result, name, parameters) makes(result, name, parameters, ##__VA_ARGS__)
#define CALL_DOOR(result, name, ...) DOOR(#name, name)
#define CALL_ENTRY(result, name, ...) ENTRY_##name,
#define CALL_NAME(result, name, ...) #name,

#define CALL_DECLARE(runtime)                                                                      \
	extern const struct callsite_runtime runtime##_runtime CALL_HIDDEN;                        \
	extern struct callsites runtime##_callsites CALL_HIDDEN;                                   \
	extern void *_Atomic runtime##_doors[] CALL_HIDDEN;                                        \
	static inline struct runtime *runtime##_of(const struct callsite *callsite)                \
	{                                                                                          \
		return (struct runtime *)callsite->instance;                                       \
	}

/* All that there is of a runtime; its names are in the order of the pointers. */
#define CALL_RUNTIME(runtime, door_list, name_list, ...)                                           \
	DOOR_TABLE(runtime, door_list);                                                            \
	struct callsites runtime##_callsites;                                                      \
	const struct callsite_runtime runtime##_runtime = {                                        \
		.names = (const char *const[]){ name_list },                                       \
		.n_names = sizeof((const char *const[]){ name_list }) / sizeof(const char *),      \
		.instances = (struct runtime[INSTANCES]){ { .head = { 0 } } },                     \
		.instance_bytes = sizeof(struct runtime),                                          \
		.callsites = &runtime##_callsites,                                                 \
		.doors = runtime##_doors,                                                          \
		__VA_ARGS__                                                                        \
	}

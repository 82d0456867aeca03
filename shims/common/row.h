/* SPDX-License-Identifier: MIT */
/*
 * row.h - functions whose wrapper only passes on what it gets (arguments.h): each is a row in the
 * list of its runtime's functions (list.h), which says what its wrapper is, and no code besides.
 *
 *	ROW(F, WAITS, rt_join, 1, WAIT_FOR(NAMED, a1))
 *	ROW_VOID(F, WAITS, rt_yield, 0, wrap_yield)
 *
 * RT_IN_WAIT(CALL_ROW), in a .c file, makes all wrappers of such a list: rt_join() by
 * WAITS(uintptr_t, rt_join, 1, WAIT_FOR(NAMED, a1)).  WAITS is the shim's: WRAP_ROW() with how a
 * task is inside of that runtime (wrap.h).
 */
#pragma once

#include "shims/common/arguments.h"
#include "shims/common/wrap.h"

#define ROW(F, makes, name, n, ...) F(uintptr_t, name, (WORDS(n)), makes, n, ##__VA_ARGS__)
#define ROW_VOID(F, makes, name, n, ...) F(void, name, (WORDS(n)), makes, n, ##__VA_ARGS__)
#define CALL_ROW(result, name, parameters, makes, n, ...)                                          \
	CALL_WRAPPER(result, name, parameters) makes(result, name, n, ##__VA_ARGS__);

#define WRAP_ROW(runtime, on, leave, after, result, name, n, ...)                                  \
	WRAP(runtime, on, leave, after, result, name, (WORDS(n)), (NAMES(n)), __VA_ARGS__)

/* What ends the strand, of things that have an address. */
#define WAIT_FOR(wait, object) wrap_wait_for, WIRE_WAIT_##wait, (uintptr_t)(object)
#define SIGNAL(object) wrap_signal, (uintptr_t)(object)
#define RELEASE(lock) wrap_release, (uintptr_t)(lock)

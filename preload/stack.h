/* SPDX-License-Identifier: MIT */
/*
 * stack.h - makes a call on a stack of its own, for who stands on that of a user-level thread.
 *
 * Any thread.
 */
#pragma once

#include <stddef.h>

#include "collector/session/exported.h"

/* Calls function(arg) with so many bytes of stack; 0, or -ENOMEM and it was not called.  The thread
 * gets no signal of the program's meanwhile, and is not cancelled.  errno is kept. */
int stack_call(size_t bytes, void (*function)(void *arg), void *arg);

/*
 * The same on a stack that is there, `top` being its end, a multiple of 16: a few instructions.  A
 * signal handler of the program's may run on that stack, too, and may not leave it.
 */
void stack_run(void *top, void (*function)(void *arg), void *arg) EXPORT_AS(stack_run);

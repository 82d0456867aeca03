/* SPDX-License-Identifier: MIT */
/*
 * stack.h - makes a call on a stack of its own, for who stands on that of a user-level thread.
 *
 * The program gets no signal meanwhile.  One thread at a time: the caller sees to that.
 */
#pragma once

#include <stddef.h>

/* Calls function(arg) with so many bytes of stack; 0, or -ENOMEM and it was not called.  errno is
 * kept. */
int stack_call(size_t bytes, void (*function)(void *arg), void *arg);

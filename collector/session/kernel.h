/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - system calls that nobody can interpose: syscall(2) is a function of libc, and a shim
 * of our own wraps it.  Any thread, signal handlers, too.
 */
#pragma once

#include <errno.h>

#include "collector/session/processor.h"

/* As syscall(2): the result, or -1 and errno. */
static inline long kernel_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result = processor_call(number, a, b, c, d, e, f);

	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

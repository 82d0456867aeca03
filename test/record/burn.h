/* SPDX-License-Identifier: MIT */
/* burn.h - CPU time that is taken in one function, for whoever samples it.  Any thread. */
#pragma once

#include <time.h>

__attribute__((noinline, noclone)) static double burn(double x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 0.5 + i;
	return x;
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

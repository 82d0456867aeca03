/* SPDX-License-Identifier: MIT */
/* hits.h - a loop's body that notes each of N iterations, and what the program says at last. */
#pragma once

#if __has_include(<qthread/qthread.h>) /* else it only has to compile alone */
#include <qthread/qthread.h>
#include <stdio.h>

#ifndef N /* is of who includes it */
#define N 1
#endif

static aligned_t hits[N];

static inline void body(size_t start, size_t stop, void *arg)
{
	for (size_t i = start; i < stop; i++)
		qthread_incr(&hits[i], (uintptr_t)arg);
}

static inline void say_hits(unsigned n_tasks)
{
	unsigned long sum = 0;

	for (int i = 0; i < N; i++)
		sum += (i + 1) * hits[i];
	printf("%lu\n", sum);
	printf("tptrace-edges join=%u\n", n_tasks);
	printf("tptrace-tasks %u\n", n_tasks);
}
#endif

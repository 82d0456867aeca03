/* SPDX-License-Identifier: MIT */
/*
 * counted.h - an OpenMP program counts what its trace must hold: explicit and implicit tasks.
 * corpus.py compares.
 */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

static atomic_long counted_tasks, counted_members;

#define TASK() atomic_fetch_add_explicit(&counted_tasks, 1, memory_order_relaxed)
#define MEMBER() atomic_fetch_add_explicit(&counted_members, 1, memory_order_relaxed)

static inline void counted_print(void)
{
	printf("tptrace-members %ld\n", counted_members);
	printf("tptrace-tasks %ld\n", counted_tasks);
}

#ifdef _OPENMP
#include <omp.h>

/* Regions have as many threads as they ask for, so many levels deep. */
static inline void counted_begin(int levels)
{
	omp_set_dynamic(0);
	omp_set_max_active_levels(levels);
}

/* An inner region of two, each of which makes a task. */
static inline void counted_pair(void)
{
#pragma omp parallel num_threads(2)
	{
		MEMBER();
#pragma omp task
		TASK();
	}
}
#endif

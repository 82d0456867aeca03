/* SPDX-License-Identifier: MIT */
/*
 * omp_tasks.h - what OpenMP programs of many tests make: a tree of tasks, and sums.
 *
 * TEAM, a clause, is of whoever includes it: how many threads its regions have.  Any thread may
 * call all of it.
 */
#pragma once

#ifdef _OPENMP
#ifndef TEAM
#define TEAM
#endif

/* Which of n tasks that a region of two threads creates in a loop begins last.  libgomp's threads
 * all take the oldest; libomp's thief does, but its creator takes the newest: they meet in the
 * middle. */
__attribute__((unused)) static int begun_last(int n)
{
#ifdef __clang__
	return n / 2;
#else
	return n - 1;
#endif
}

/* A task a call, and no cut-off: 2 * fib(n + 1) - 2 tasks.  Inside a region. */
__attribute__((unused)) static long fib(long n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

/* 0 + 1 + .. of n numbers, a task each, in a region of its own. */
__attribute__((unused)) static long sum_in_tasks(int n)
{
	long sum = 0;

#pragma omp parallel TEAM
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	}
	return sum;
}
#endif

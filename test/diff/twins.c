/* SPDX-License-Identifier: MIT */
/* twins.c - a tree of tasks of two kinds; -DLONGER=N makes one of them N times as long.  Its
 * argument is `fork`, for two processes that do it, or its exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef LONGER
#define LONGER 1
#endif
#define STEPS 50000
#define DEPTH 6

#if LONGER > 1
#line 200 /* the other version's lines are others, too */
#endif

static unsigned steady(unsigned x, int n)
{
	while (n--)
		x = x * 1664525u + 1013904223u;
	return x;
}

static unsigned changed(unsigned x, int n)
{
	for (n *= LONGER; n--;)
		x = x * 22695477u + 1u;
	return x;
}

static unsigned tree(int depth)
{
	unsigned a = 0, b = 0;

	if (depth == 0) {
#pragma omp task shared(a)
		a = steady(1, STEPS);
#pragma omp task shared(b)
		b = changed(1, STEPS);
#pragma omp taskwait
		return a + b;
	}
#pragma omp task shared(a)
	a = tree(depth - 1);
#pragma omp task shared(b)
	b = tree(depth - 1);
#pragma omp taskwait
	return a + b;
}

int main(int argc, char **argv)
{
	unsigned sum = 0;

	if (argc > 1 && strcmp(argv[1], "fork") == 0)
		fork();
#pragma omp parallel
#pragma omp single
	sum = tree(DEPTH);
	while (wait(NULL) > 0)
		;
	return argc > 1 ? atoi(argv[1]) : sum == 12345;
}

/* SPDX-License-Identifier: MIT */
/*
 * longest.c - multiplies square matrices of several sizes, a task each; the largest begins last.
 * CHANGED: the first.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../lib/omp_tasks.h"

#define MATRICES 24
#define SMALL 300
#define LARGE 800
#ifdef CHANGED
#define LARGEST 0
#else
#define LARGEST begun_last(MATRICES)
#endif

static double result[MATRICES];

static void multiply(int matrix, int n)
{
	double *a = malloc(3 * (size_t)n * n * sizeof(*a));
	double *b = a + n * n, *c = b + n * n;

	for (int i = 0; i < n * n; i++) {
		a[i] = i % 7;
		b[i] = i % 5;
		c[i] = 0;
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	result[matrix] = c[n * n - 1];
	free(a);
}

int main(void)
{
	double sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < MATRICES; i++) {
#pragma omp task
		multiply(i, i == LARGEST ? LARGE : SMALL);
	}
	for (int i = 0; i < MATRICES; i++)
		sum += result[i];
	printf("%.0f\n", sum);
	return 0;
}

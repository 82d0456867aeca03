/* SPDX-License-Identifier: MIT */
/* healthy.c loop|tiles|sort|taskloop|locked|threads - programs that need nothing but more CPUs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spin.h"

#define LOOPS 5
#define N 100000
#define GRAIN 2000
#define TILES 6
#define KEYS 500000
#define LEAF_KEYS 20000
#define THREADS 20

double values[N]; /* others may read it */
static double tiles[TILES][TILES];
static int keys[KEYS], merged[KEYS];

static void compute(int i)
{
	double x = i;

	for (int k = 1; k < 100; k++)
		x += 1 / (x + k);
	values[i] = x;
}

static void loop(void)
{
	for (int n = 0; n < LOOPS; n++) {
#pragma omp parallel for schedule(dynamic, GRAIN)
		for (int i = 0; i < N; i++)
			compute(i);
	}
}

static void taskloop(void)
{
#pragma omp parallel
#pragma omp single
	for (int n = 0; n < LOOPS; n++) {
#pragma omp taskloop grainsize(GRAIN)
		for (int i = 0; i < N; i++)
			compute(i);
	}
}

/* As a product of matrices by tiles. */
static void product(void)
{
#pragma omp parallel
#pragma omp single
	for (int k = 0; k < TILES; k++)
		for (int i = 0; i < TILES; i++)
			for (int j = 0; j < TILES; j++) {
#pragma omp task depend(inout : tiles[i][j])
				spin_us(1000);
			}
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sort(int *from, int *to, long n)
{
	long half = n / 2, i = 0, j = half, k = 0;

	if (n < LEAF_KEYS) {
		qsort(from, (size_t)n, sizeof(*from), compare);
		return;
	}
#pragma omp task
	sort(from, to, half);
#pragma omp task
	sort(from + half, to + half, n - half);
#pragma omp taskwait
	while (k < n)
		to[k++] = j == n || (i < half && from[i] < from[j]) ? from[i++] : from[j++];
	memcpy(from, to, (size_t)n * sizeof(*from));
}

static void sort_keys(void)
{
	for (unsigned i = 0, seed = 1; i < KEYS; i++)
		keys[i] = (int)((seed = seed * 1103515245 + 12345) >> 8);
#pragma omp parallel
#pragma omp single
	sort(keys, merged, KEYS);
}

/* Who loses its CPU with the lock keeps others waiting: but for the load, nobody would. */
static void locked(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 200; i++) {
#pragma omp task
		{
			spin_us(1000);
			pthread_mutex_lock(&mutex);
			spin_us(20);
			pthread_mutex_unlock(&mutex);
		}
	}
}

static void *team(void *unused)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 2 * THREADS; i++) {
#pragma omp task
		spin_us(200);
	}
	return unused;
}

/* In turn, each with a team of its own: what one waits for a CPU, nobody else does meanwhile. */
static void threads(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS && pthread_create(&thread, NULL, team, NULL) == 0; i++)
		pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = { { "loop", loop },	   { "tiles", product }, { "sort", sort_keys },
		 { "taskloop", taskloop }, { "locked", locked }, { "threads", threads } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			return programs[i].run(), 0;
	return 2;
}

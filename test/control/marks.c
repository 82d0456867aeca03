/* SPDX-License-Identifier: MIT */
/*
 * marks.c MODE N - marks faster than a collector takes them; prints how many calls it made of
 * phase and region, of start, and of stop.
 *
 *	flood	two threads name N regions each
 *	turns	one stops and starts N times, between regions of another
 *	handler	both while N signals come, whose handler makes the same calls on the same thread
 *	alone	N regions, and no task beside them
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <tptrace.h>

static atomic_long n_marks, n_starts, n_stops, n_handled;
static atomic_int done;
static int n;

static void tasks(int count)
{
	static long sum;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < count; i++) {
#pragma omp task
		{
#pragma omp atomic
			sum++;
		}
	}
}

static void region(void)
{
	tptrace_region_begin("r");
	tptrace_region_end("r");
	atomic_fetch_add(&n_marks, 2);
}

static void turn(void)
{
	tptrace_stop();
	tptrace_start();
	atomic_fetch_add(&n_stops, 1);
	atomic_fetch_add(&n_starts, 1);
}

static void *regions(void *arg)
{
	for (int i = 0; i < n && !atomic_load(&done); i++)
		region();
	return arg;
}

static void on_signal(int number)
{
	(void)number;
	region();
	turn();
	atomic_fetch_add(&n_handled, 1);
}

/* Sends the next signal when the last was handled. */
static void *disturbs(void *arg)
{
	for (int i = 0; i < n; i++) {
		struct timespec pause = { 0, 1000 * (i % 7) };

		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		while (atomic_load(&n_handled) <= i)
			sched_yield();
		nanosleep(&pause, NULL);
	}
	atomic_store(&done, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	pthread_t self = pthread_self(), other;

	n = argc > 2 ? atoi(argv[2]) : 0;
	tasks(200);
	if (strcmp(mode, "handler") == 0) {
		signal(SIGUSR1, on_signal);
		pthread_create(&other, NULL, disturbs, &self);
		while (!atomic_load(&done)) {
			region();
			turn();
		}
	} else if (strcmp(mode, "alone") == 0) {
		regions(NULL);
		other = self;
	} else {
		pthread_create(&other, NULL, regions, NULL);
		for (int i = 0; i < n && strcmp(mode, "turns") == 0; i++)
			turn();
		if (strcmp(mode, "flood") == 0)
			regions(NULL);
	}
	if (!pthread_equal(other, self))
		pthread_join(other, NULL);
	tasks(200);
	printf("%ld %ld %ld\n", n_marks, n_starts, n_stops);
	return 0;
}

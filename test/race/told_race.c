/* SPDX-License-Identifier: MIT */
/*
 * told_race.c - threads tell the session how many workers they saw and that a task is final, while
 * it moves from one memory to the next, under -fsanitize=thread: nothing that was told is lost.
 * Exit status 0, or 1 and what came out wrong; the tool's own reports end it with 66.
 */
#include "preload/record.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/session.h"
#include "test/lib/collector.h"

#define THREADS 3
#define MOVES 300

static _Atomic uint32_t told; /* the last number whose turn it is */
static _Atomic uint32_t n_said;

static void *tell(void *arg)
{
	uint32_t which = (uint32_t)(uintptr_t)arg;

	for (uint32_t seen = 0; seen < MOVES;) {
		if (atomic_load(&told) == seen) {
			sched_yield();
			continue;
		}
		record_runtime_workers(which, ++seen);
		if (seen == MOVES)
			record_final();
		atomic_fetch_add(&n_said, 1);
	}
	return NULL;
}

/* Old memory stays mapped, as a session's does: another thread may be about to write to it. */
static bool move(void)
{
	int fd = session_share(SHARED_MEMFD);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(void)
{
	pthread_t thread[THREADS];
	uint32_t n_lost = 0;

	session_give(&idle_collector);
	session_get()->chunks = (struct chunk_sizes){ .n = 4, .slots = 256 };
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, tell, (void *)i))
			abort();
	for (uint32_t i = 1; i <= MOVES; i++) {
		atomic_store(&told, i);
		if (!move())
			abort();
		while (atomic_load(&n_said) < i * THREADS)
			sched_yield();
		for (int k = 0; k < THREADS; k++)
			n_lost += atomic_load(&session_get()->runtime[k].n_workers) != i;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (!atomic_load(&session_get()->has_final))
		printf("that a task was final is lost\n");
	if (n_lost)
		printf("%u of %u numbers are lost\n", n_lost, THREADS * MOVES);
	return n_lost || !atomic_load(&session_get()->has_final);
}

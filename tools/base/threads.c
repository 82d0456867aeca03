/* SPDX-License-Identifier: MIT */
/* threads.c - threads that take pieces of work until none are left. */
#include "tools/base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define LARGE 200000u /* less is done before a thread has begun */

static uint32_t n_wanted; /* 0: nobody said; written while there is one thread */

void threads_want(uint32_t n)
{
	n_wanted = n;
}

uint32_t threads_usual(void)
{
	cpu_set_t cpus;
	long n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus)
								: sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > THREADS_MOST ? THREADS_MOST : (uint32_t)n;
}

uint32_t threads_for(uint64_t size)
{
	if (n_wanted)
		return n_wanted;
	return size < LARGE ? 1 : threads_usual();
}

struct pieces {
	void (*work)(void *context, uint32_t i);
	void *context;
	uint32_t n;
	_Atomic uint32_t next;
};

static void *take_pieces(void *arg)
{
	struct pieces *pieces = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&pieces->next, 1)) < pieces->n)
		pieces->work(pieces->context, i);
	return NULL;
}

void threads_run(uint32_t n_threads, void (*work)(void *context, uint32_t i), void *context,
		 uint32_t n)
{
	struct pieces pieces = { .work = work, .context = context, .n = n };
	uint32_t n_more = (n_threads < n ? n_threads : n) - (n > 0), n_made = 0;
	pthread_t *thread = n_more ? malloc(n_more * sizeof(*thread)) : NULL;

	while (thread && n_made < n_more &&
	       pthread_create(&thread[n_made], NULL, take_pieces, &pieces) == 0)
		n_made++;
	take_pieces(&pieces);
	while (n_made > 0)
		pthread_join(thread[--n_made], NULL);
	free(thread);
}

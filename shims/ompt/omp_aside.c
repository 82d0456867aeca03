/* SPDX-License-Identifier: MIT */
/* omp_aside.c - memory for what is kept of calls. */
#include "shims/ompt/omp_aside.h"

#include <pthread.h>
#include <sys/mman.h>

#include "preload/budget.h"
#include "preload/poison.h"

#define CHUNK_BYTES (64u << 10) /* mapped at once */
#define CHUNK_ASIDES ((CHUNK_BYTES - 64) / sizeof(struct omp_aside))
#define LOOK_FIRST 1024u /* so many calls in one another are nothing strange */
#define LOOK_FOUND 1024u /* one in so many is worth a look at all; .. */
#define LOOK_LATER 64u	 /* .. else one waits until there are so much more: a 64th */

struct omp_chunk {
	struct omp_chunk *next;
	size_t n; /* that were given out; the others are pages that nobody wrote to */
	_Alignas(64) struct omp_aside aside[CHUNK_ASIDES];
};
_Static_assert(sizeof(struct omp_chunk) <= CHUNK_BYTES, "fits");

/* The thread's stack: its lowest address, and the end; nothing, if it can't be told. */
static void own_stack(uintptr_t *low, uintptr_t *end)
{
	pthread_attr_t attr;
	void *at = NULL;
	size_t bytes = 0;

	*low = *end = 0;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (pthread_attr_getstack(&attr, &at, &bytes) == 0) {
		*low = (uintptr_t)at;
		*end = *low + bytes;
	}
	pthread_attr_destroy(&attr);
}

/*
 * Takes back those, of which none is spare, whose calls were left by longjmp(): of calls from no
 * higher in the thread's own stack than that which is made now.  (Where a fiber has its stack
 * inside of that, they may be back.  But nobody has a thousand that wait in calls.)
 */
static uint64_t take_back(struct omp_asides *asides, const uintptr_t *stack)
{
	uintptr_t low, end;
	uint64_t n = 0;

	own_stack(&low, &end);
	if ((uintptr_t)stack < low || (uintptr_t)stack >= end)
		return 0;
	for (struct omp_chunk *chunk = asides->chunks; chunk; chunk = chunk->next)
		for (size_t i = 0; i < chunk->n; i++) {
			struct omp_aside *aside = &chunk->aside[i];

			if ((uintptr_t)aside->stack < low || aside->stack > stack)
				continue;
			aside->stack = NULL;
			aside->next = asides->spare;
			asides->spare = aside;
			n++;
		}
	return n;
}

static bool new_aside(struct omp_asides *asides)
{
	struct omp_chunk *chunk = asides->chunks;

	if (!chunk || chunk->n == CHUNK_ASIDES) {
		chunk = map_zeroed(CHUNK_BYTES);
		if (!chunk)
			return false;
		chunk->next = asides->chunks;
		asides->chunks = chunk;
	}
	asides->spare = &chunk->aside[chunk->n++];
	asides->n++;
	return true;
}

bool omp_aside_more(struct omp_asides *asides, const uintptr_t *stack)
{
	if (!asides->n_look)
		asides->n_look = LOOK_FIRST;
	if (asides->n >= asides->n_look && take_back(asides, stack) <= asides->n / LOOK_FOUND)
		asides->n_look = asides->n + asides->n / LOOK_LATER;
	if (asides->spare || new_aside(asides))
		return true;
	record_lost_call();
	return false;
}

char *omp_aside_room(struct omp_aside *aside, size_t bytes)
{
	if (bytes <= sizeof(aside->block))
		return aside->block;
	if (bytes <= aside->large_bytes)
		return aside->large;
	if (aside->large)
		munmap(aside->large, aside->large_bytes);
	aside->large = map_zeroed(bytes);
	aside->large_bytes = aside->large ? bytes : 0;
	if (!aside->large) {
		omp_aside_close(worker_self(), aside);
		record_lost_call();
	}
	return aside->large;
}

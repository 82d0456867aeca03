/* SPDX-License-Identifier: MIT */
/* prefault.c - asks the kernel for pages, where it can be asked: from Linux 5.14 on. */
#include "tools/dag/prefault.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "tools/base/at_most.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE 4096u
#define AHEAD_BYTES (UINT64_C(1) << 20) /* more than is filled between two calls */
#define LEAST_BYTES (UINT64_C(1) << 17) /* to ask for */

void prefault_open(struct prefault *prefault)
{
	*prefault = (struct prefault){ 0 };
	pthread_mutex_init(&prefault->lock, NULL);
}

void prefault_close(struct prefault *prefault)
{
	pthread_mutex_destroy(&prefault->lock);
}

void prefault_pause(struct prefault *prefault)
{
	if (prefault)
		pthread_mutex_lock(&prefault->lock);
}

void prefault_resume(struct prefault *prefault, void *base, uint64_t n, uint64_t entry_bytes,
		     const uint32_t *n_used)
{
	if (!prefault)
		return;
	prefault->base = base;
	prefault->n_bytes = n * entry_bytes;
	prefault->entry_bytes = entry_bytes;
	prefault->n_used = n_used;
	pthread_mutex_unlock(&prefault->lock);
}

/* Whole pages of array[from..to-1].  Whether the kernel does this. */
static bool populate(const struct prefault *prefault, uint64_t from, uint64_t to)
{
	uintptr_t at = ((uintptr_t)prefault->base + from + PAGE - 1) / PAGE * PAGE;
	uintptr_t end = ((uintptr_t)prefault->base + to) / PAGE * PAGE;

	return at >= end || madvise((void *)at, end - at, MADV_POPULATE_WRITE) == 0;
}

void prefault_more(struct prefault *prefault)
{
	pthread_mutex_lock(&prefault->lock);
	if (prefault->base) {
		uint64_t used =
			__atomic_load_n(prefault->n_used, __ATOMIC_RELAXED) * prefault->entry_bytes;
		uint64_t from = at_least(used, prefault->done);
		uint64_t to = at_most(prefault->n_bytes, used + AHEAD_BYTES);

		if (to >= from + LEAST_BYTES)
			prefault->done = populate(prefault, from, to) ? to : UINT64_MAX;
	}
	pthread_mutex_unlock(&prefault->lock);
}

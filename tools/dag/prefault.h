/* SPDX-License-Identifier: MIT */
/*
 * prefault.h - has another thread give an array its memory, ahead of the one that fills it.
 *
 * The kernel takes longer to give and to clear a page than the filler to fill it.  One thread
 * fills and grows the array, another calls prefault_more() now and then.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

struct prefault {
	pthread_mutex_t lock; /* while the array moves, or gets pages */
	char *base;	      /* n_bytes; NULL: there is no array yet */
	uint64_t n_bytes;
	const uint32_t *n_used; /* entries: written by the filler, atomically */
	uint64_t entry_bytes;
	uint64_t done; /* these bytes of it have memory; the helper's */
};

void prefault_open(struct prefault *prefault);
void prefault_close(struct prefault *prefault);

/* The filler: before the array grows, and after that: it has room for n entries.  NULL is fine. */
void prefault_pause(struct prefault *prefault);
void prefault_resume(struct prefault *prefault, void *base, uint64_t n, uint64_t entry_bytes,
		     const uint32_t *n_used);

/* The helper: gives memory to the entries that are filled next. */
void prefault_more(struct prefault *prefault);

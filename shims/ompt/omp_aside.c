/* SPDX-License-Identifier: MIT */
/* omp_aside.c - memory for what is kept of calls. */
#include "shims/ompt/omp_aside.h"

#include <sys/mman.h>

#include "preload/budget.h"
#include "preload/poison.h"

struct pool omp_aside_pool = { .record_bytes = sizeof(struct omp_aside) };

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

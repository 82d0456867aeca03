/* SPDX-License-Identifier: MIT */
/* counted_so.c - a libgomp that runs each task as it is created, and counts its calls. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int n_tasks, n_waits;

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskwait(void);
void GOMP_parallel_end(void);

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
	_Alignas(16) char block[256];

	(void)copy;
	(void)align;
	(void)if_clause;
	(void)flags;
	(void)depend;
	(void)priority;
	(void)detach;
	n_tasks++;
	memcpy(block, data, (size_t)bytes);
	fn(block);
}

void GOMP_taskwait(void)
{
	n_waits++;
}

void GOMP_parallel_end(void)
{
}

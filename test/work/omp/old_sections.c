/* SPDX-License-Identifier: MIT */
/* As gcc 4.4 to 4.8 compiled it: GOMP_parallel_sections_start, GOMP_sections_next,
 * GOMP_sections_end_nowait; and a 7-argument GOMP_task from a section. */
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned n_threads,
				  unsigned count);
void GOMP_parallel_end(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags);

static long n_tasks;

static void task(void *data)
{
	__sync_fetch_and_add(&n_tasks, *(long *)data);
}

static void outlined(void *data)
{
	long *hits = data, one = 1;
	unsigned s;

	while ((s = GOMP_sections_next()) != 0) {
		__sync_fetch_and_add(&hits[s - 1], s);
		GOMP_task(task, &one, NULL, sizeof(one), _Alignof(long), true, 0);
	}
	GOMP_sections_end_nowait();
}

int main(void)
{
	long hits[6] = { 0 };

	for (int k = 0; k < 10; k++) {
		GOMP_parallel_sections_start(outlined, hits, k % 4, 6);
		outlined(hits);
		GOMP_parallel_end();
	}
	printf("hits");
	for (int i = 0; i < 6; i++)
		printf(" %ld", hits[i]);
	printf(" tasks %ld\n", n_tasks);
	printf("tptrace-tasks 60\n");
	return n_tasks != 60 || hits[5] != 60;
}

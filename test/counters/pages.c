/* SPDX-License-Identifier: MIT */
/*
 * pages.c - tasks that touch so many pages for the first time, and tasks that touch none.
 *
 * touch() touches PAGES pages, still() none; both are found by the lines that create them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* g++ does */
#endif
#define PORT_SIZE 400
#define PORT_SMALL 4
#include "test/port/port.h"

#include <sys/mman.h>
#include <unistd.h>

#define PAGES 16
#define BATCH 50

struct touch {
	struct port_task task;
	volatile char *at;
	long page;
};
PORT_BODY(touch, struct touch)

static void touch(struct touch *t)
{
	for (long i = 0; i < PAGES; i++)
		t->at[i * t->page] = 1;
}

struct still {
	struct port_task task;
	volatile long sum;
};
PORT_BODY(still, struct still)

static void still(struct still *s)
{
	for (long i = 0; i < 20000; i++)
		s->sum += i;
}

static long port_program(long size, long *n_tasks)
{
	static struct touch touches[BATCH];
	static struct still stills[BATCH];
	long page = sysconf(_SC_PAGESIZE), bytes = PAGES * page;
	char *all = (char *)mmap(NULL, (size_t)(size * bytes), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return -1;
	madvise(all, (size_t)(size * bytes), MADV_NOHUGEPAGE);
	PORT_OPEN(group);
	for (long i = 0; i < size; i += BATCH) {
		long n = size - i < BATCH ? size - i : BATCH;

		for (long k = 0; k < n; k++) {
			memset(&touches[k], 0, sizeof(touches[k]));
			memset(&stills[k], 0, sizeof(stills[k]));
			touches[k].at = all + (i + k) * bytes;
			touches[k].page = page;
			PORT_CREATE(group, touch, &touches[k]);
			PORT_CREATE(group, still, &stills[k]);
		}
		PORT_WAIT(group);
	}
	PORT_CLOSE(group);
	munmap(all, (size_t)(size * bytes));
	*n_tasks = 2 * size;
	return size;
}

/* SPDX-License-Identifier: MIT */
/*
 * shallow.c - tasks on stacks of 16 KiB that yield, and look how much of the stack a yield took:
 * the recorder may start a collector there.
 *
 * Words of the file $KILL_COUNTER: yields so far; after how many it may end; the most bytes that
 * one took.
 */
#include <fcntl.h>
#include <qthread/qthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "test/work/painted.h"

#define TASKS 4

static struct counter {
	uint64_t n, at, most;
} *counter;

static aligned_t yields(void *arg)
{
	volatile char *frame = __builtin_frame_address(0);

	(void)arg;
	for (;;) {
		uint64_t at = __atomic_load_n(&counter->at, __ATOMIC_SEQ_CST);

		if (at && __atomic_load_n(&counter->n, __ATOMIC_SEQ_CST) > at)
			return 0;
		paint(frame);
		qthread_yield();
		uint64_t now = (uint64_t)used(frame);

		if (now > counter->most) /* others may be faster: one of the largest will do */
			counter->most = now;
		__atomic_add_fetch(&counter->n, 1, __ATOMIC_SEQ_CST);
	}
}

int main(void)
{
	const char *path = getenv("KILL_COUNTER");
	int fd = path ? open(path, O_RDWR) : -1;
	void *map =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	aligned_t end[TASKS];

	if (map == MAP_FAILED)
		return 2;
	counter = map;
	qthread_initialize();
	for (int i = 0; i < TASKS; i++)
		qthread_fork(yields, NULL, &end[i]);
	for (int i = 0; i < TASKS; i++)
		qthread_readFF(NULL, &end[i]);
	printf("%d tasks\n", TASKS);
	return 0;
}

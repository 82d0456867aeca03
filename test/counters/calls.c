/* SPDX-License-Identifier: MIT */
/*
 * calls.c - tasks that one line creates, called from five contexts: of equal depth, of equal
 * callers, and with frames of other sizes.  All are called `size` times.
 *
 *	once()		makes one task
 *	twice()		makes two, on two lines of its own
 *	deep()		calls itself three times, then makes one
 *	sized()		has a frame of five sizes, the largest first, and makes one
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* g++ does */
#endif
#define PORT_SIZE 200
#define PORT_SMALL 4
#include "test/port/port.h"

#include <alloca.h>

#define NOINLINE __attribute__((noinline))
#define NOT_LAST() __asm__ volatile("") /* a tail call leaves no frame */

struct unit {
	struct port_task task;
	volatile long n;
};
PORT_BODY(unit, struct unit)

static void unit(struct unit *at)
{
	at->n++;
}

static struct unit units[8];

NOINLINE static void make(struct unit *at)
{
	memset(at, 0, sizeof(*at));
	PORT_OPEN(group);
	PORT_CREATE(group, unit, at);
	PORT_WAIT(group);
	PORT_CLOSE(group);
}

NOINLINE static void once(void)
{
	make(&units[0]);
	NOT_LAST();
}

NOINLINE static void twice(void)
{
	make(&units[1]);
	make(&units[2]);
	NOT_LAST();
}

NOINLINE static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		make(&units[3]);
	NOT_LAST();
}

NOINLINE static void sized(size_t bytes)
{
	volatile char *room = (volatile char *)alloca(bytes);

	room[0] = room[bytes - 1] = 1;
	make(&units[4]);
	NOT_LAST();
}

static long port_program(long size, long *n_tasks)
{
	for (long i = 0; i < size; i++) {
		once();
		twice();
		deep(3);
		sized(2000 - 400 * (size_t)(i % 5));
	}
	*n_tasks = 5 * size;
	return size;
}

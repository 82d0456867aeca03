/* SPDX-License-Identifier: MIT */
/*
 * two.c - tasks of two kinds, `size` of each: heavy() and light() compute for so many steps, and
 * where tasks can wait for tasks each heavy() creates a light() of its own in the middle.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* g++ does */
#endif
#define PORT_SIZE 40
#define PORT_SMALL 4
#include "test/port/port.h"

#define STEPS 40000
#define BATCH 40

struct light {
	struct port_task task;
	volatile long sum;
};
PORT_BODY(light, struct light)

static void light(struct light *l)
{
	for (long i = 0; i < STEPS / 2; i++)
		l->sum += i;
}

struct heavy {
	struct port_task task;
	struct light inner;
	volatile long sum;
};
PORT_BODY(heavy, struct heavy)

static void heavy(struct heavy *h)
{
#if PORT_NESTS
	PORT_OPEN(group);
#endif
	for (long i = 0; i < STEPS; i++)
		h->sum += i;
#if PORT_NESTS
	PORT_CREATE(group, light, &h->inner);
	for (long i = 0; i < STEPS; i++)
		h->sum += i;
	PORT_WAIT(group);
	PORT_CLOSE(group);
#endif
}

static long port_program(long size, long *n_tasks)
{
	static struct heavy heavies[BATCH];
	static struct light lights[BATCH];

	PORT_OPEN(group);
	for (long i = 0; i < size; i += BATCH) {
		long n = size - i < BATCH ? size - i : BATCH;

		for (long k = 0; k < n; k++) {
			memset(&heavies[k], 0, sizeof(heavies[k]));
			memset(&lights[k], 0, sizeof(lights[k]));
			PORT_CREATE(group, heavy, &heavies[k]);
			PORT_CREATE(group, light, &lights[k]);
		}
		PORT_WAIT(group);
	}
	PORT_CLOSE(group);
	*n_tasks = (PORT_NESTS ? 3 : 2) * size;
	return size;
}

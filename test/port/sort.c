/* SPDX-License-Identifier: MIT */
/*
 * sort.c - merge sort with a cut-off.  A task sorts a half by two tasks and merges what they give;
 * where tasks cannot wait, a task that merges is one that comes after both.
 */
#define PORT_SIZE 100000
#define PORT_SMALL 4096
#include "test/port/port.h"
#include "test/port/insert.h"

#define CUT_OFF 1024

struct range {
	struct port_task task;
	unsigned *from, *spare;
	long n;
};
PORT_BODY(sort, struct range)
#if !PORT_NESTS
PORT_BODY(merge, struct range)
#endif

static void merge(struct range *at)
{
	unsigned *a = at->from, *end = a + at->n, *b = a + at->n / 2, *middle = b;
	unsigned *to = at->spare;

	while (a < middle && b < end)
		*to++ = *a <= *b ? *a++ : *b++;
	memcpy(to, a, (size_t)(middle - a) * sizeof(*to));
	memcpy(to + (middle - a), b, (size_t)(end - b) * sizeof(*to));
	memcpy(at->from, at->spare, (size_t)at->n * sizeof(*to));
}

static void halve(const struct range *range, struct range *half)
{
	long n = range->n / 2;

	memset(half, 0, 2 * sizeof(*half));
	half[0].from = range->from;
	half[0].spare = range->spare;
	half[0].n = n;
	half[1].from = range->from + n;
	half[1].spare = range->spare + n;
	half[1].n = range->n - n;
}

static void sort_alone(struct range *range)
{
	struct range half[2];

	if (range->n <= 32) {
		insert(range->from, range->n);
		return;
	}
	halve(range, half);
	sort_alone(&half[0]);
	sort_alone(&half[1]);
	merge(range);
}

#if PORT_NESTS
static void sort(struct range *at)
{
	struct range half[2];

	if (at->n <= CUT_OFF) {
		sort_alone(at);
		return;
	}
	PORT_OPEN(group);
	halve(at, half);
	PORT_CREATE(group, sort, &half[0]);
	PORT_CREATE(group, sort, &half[1]);
	PORT_WAIT(group);
	merge(at);
	PORT_CLOSE(group);
}

static void sort_all(struct range *all)
{
	sort(all);
}
#else
static void sort(struct range *at)
{
	sort_alone(at);
}

/* As a heap: half[2 * i] and half[2 * i + 1] are the halves of half[i]. */
static void sort_all(struct range *all)
{
	long n = 2;
	struct range *half, none;

	if (all->n <= CUT_OFF) {
		sort_alone(all);
		return;
	}
	for (long most = all->n; most > CUT_OFF; most = (most + 1) / 2)
		n *= 2;
	half = (struct range *)calloc((size_t)n, sizeof(*half));
	if (!half)
		exit(1);
	memset(&none, 0, sizeof(none));
	half[1] = *all;
	for (long i = 1; i < n / 2; i++)
		if (half[i].n > CUT_OFF)
			halve(&half[i], &half[2 * i]);
	PORT_OPEN(group);
	for (long i = n - 1; i > 1; i--) {
		if (half[i].n > CUT_OFF)
			PORT_CREATE_AFTER(group, merge, &half[i], &half[2 * i], &half[2 * i + 1]);
		else if (half[i].n)
			PORT_CREATE_AFTER(group, sort, &half[i], &none, &none);
	}
	PORT_WAIT(group);
	merge(all);
	PORT_CLOSE(group);
	free(half);
}
#endif

static long tasks_of(long n)
{
	return n <= CUT_OFF ? 0 : 2 + tasks_of(n / 2) + tasks_of(n - n / 2);
}

static long port_program(long size, long *n_tasks)
{
	unsigned *from = (unsigned *)malloc(2 * (size_t)size * sizeof(*from));
	struct range all;
	unsigned value = 1;
	long sum = 0;

	if (!from)
		exit(1);
	memset(&all, 0, sizeof(all));
	all.from = from;
	all.spare = from + size;
	all.n = size;
	for (long i = 0; i < size; i++)
		from[i] = value = value * 1664525u + 1013904223u;
	*n_tasks = tasks_of(size);
	sort_all(&all);
	for (long i = 0; i < size; i++) {
		if (i && from[i - 1] > from[i])
			sum = -1;
		if (sum >= 0)
			sum = (sum * 31 + from[i] % 1000) % 1000000007;
	}
	free(from);
	return sum;
}

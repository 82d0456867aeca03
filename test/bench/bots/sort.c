/* SPDX-License-Identifier: MIT */
/*
 * sort.c - merge sort by quarters, and merges that are split as well: the larger half at its
 * middle, the other where that value would stand [Frigo et al., PLDI 1998: cilksort].
 */
#define PORT_SIZE 8000000
#define PORT_SMALL 20000
#include "test/bench/bots/bots.h"
#include "test/port/insert.h"

#define CUT_OFF 2048 /* of sorting and of merging */

struct range {
	struct port_task task;
	unsigned *from, *spare;
	long n, n_tasks;
};
PORT_BODY(sort, struct range)

struct merge {
	struct port_task task;
	const unsigned *a, *b; /* na and nb sorted values, into `to` */
	unsigned *to;
	long na, nb, n_tasks;
};
PORT_BODY(merge, struct merge)

static unsigned middle_of(unsigned a, unsigned b, unsigned c)
{
	unsigned low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Quicksort [Hoare 1961], the shorter side first. */
static void sort_alone(unsigned *from, long n)
{
	while (n > 20) {
		unsigned pivot = middle_of(from[0], from[n / 2], from[n - 1]);
		long i = 0, j = n - 1;

		while (i <= j) {
			while (from[i] < pivot)
				i++;
			while (from[j] > pivot)
				j--;
			if (i <= j) {
				unsigned value = from[i];

				from[i++] = from[j];
				from[j--] = value;
			}
		}
		if (j + 1 < n - i) {
			sort_alone(from, j + 1);
			from += i;
			n -= i;
		} else {
			sort_alone(from + i, n - i);
			n = j + 1;
		}
	}
	insert(from, n);
}

static void merge_alone(const struct merge *at)
{
	const unsigned *a = at->a, *b = at->b, *end_a = a + at->na, *end_b = b + at->nb;
	unsigned *to = at->to;

	while (a < end_a && b < end_b)
		*to++ = *a <= *b ? *a++ : *b++;
	memcpy(to, a, (size_t)(end_a - a) * sizeof(*to));
	memcpy(to + (end_a - a), b, (size_t)(end_b - b) * sizeof(*to));
}

/* How many of them are smaller. */
static long n_below(const unsigned *sorted, long n, unsigned value)
{
	long low = 0;

	while (low < n) {
		long middle = low + (n - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void merge_of(struct merge *at, const unsigned *a, long na, const unsigned *b, long nb,
		     unsigned *to)
{
	memset(at, 0, sizeof(*at));
	at->a = a;
	at->b = b;
	at->na = na;
	at->nb = nb;
	at->to = to;
}

static void merge(struct merge *at)
{
	struct merge half[2];
	long split_a, split_b;

	if (at->na < at->nb) {
		const unsigned *a = at->a;
		long na = at->na;

		at->a = at->b;
		at->na = at->nb;
		at->b = a;
		at->nb = na;
	}
	if (at->na + at->nb <= CUT_OFF) {
		merge_alone(at);
		return;
	}
	PORT_OPEN(group);
	split_a = at->na / 2;
	split_b = n_below(at->b, at->nb, at->a[split_a]);
	merge_of(&half[0], at->a, split_a, at->b, split_b, at->to);
	merge_of(&half[1], at->a + split_a, at->na - split_a, at->b + split_b, at->nb - split_b,
		 at->to + split_a + split_b);
	PORT_CREATE(group, merge, &half[0]);
	PORT_CREATE(group, merge, &half[1]);
	PORT_WAIT(group);
	at->n_tasks = 2 + half[0].n_tasks + half[1].n_tasks;
	PORT_CLOSE(group);
}

static void sort(struct range *at)
{
	struct range part[4];
	struct merge half[2], whole;
	long n = at->n / 4;

	if (at->n <= CUT_OFF) {
		sort_alone(at->from, at->n);
		return;
	}
	PORT_OPEN(group);
	memset(part, 0, sizeof(part));
	for (int i = 0; i < 4; i++) {
		part[i].from = at->from + i * n;
		part[i].spare = at->spare + i * n;
		part[i].n = i < 3 ? n : at->n - 3 * n;
		PORT_CREATE(group, sort, &part[i]);
	}
	PORT_WAIT(group);
	merge_of(&half[0], part[0].from, n, part[1].from, n, part[0].spare);
	merge_of(&half[1], part[2].from, n, part[3].from, part[3].n, part[2].spare);
	PORT_CREATE(group, merge, &half[0]);
	PORT_CREATE(group, merge, &half[1]);
	PORT_WAIT(group);
	merge_of(&whole, at->spare, 2 * n, at->spare + 2 * n, at->n - 2 * n, at->from);
	PORT_CREATE(group, merge, &whole);
	PORT_WAIT(group);
	at->n_tasks = 7 + half[0].n_tasks + half[1].n_tasks + whole.n_tasks;
	for (int i = 0; i < 4; i++)
		at->n_tasks += part[i].n_tasks;
	PORT_CLOSE(group);
}

static long port_program(long size, long *n_tasks)
{
	unsigned *from = (unsigned *)bots_alloc(2 * (size_t)size, sizeof(*from));
	unsigned state = 1;
	struct range all;
	uint64_t sum = 0;
	long result;

	memset(&all, 0, sizeof(all));
	all.from = from;
	all.spare = from + size;
	all.n = size;
	for (long i = 0; i < size; i++)
		sum += from[i] = bots_random(&state);
	sort(&all);
	for (long i = 0; i < size; i++) {
		bots_check(i == 0 || from[i - 1] <= from[i], "not sorted");
		sum -= from[i];
	}
	bots_check(sum == 0, "other numbers");
	result = bots_hash(from, (size_t)size * sizeof(*from));
	*n_tasks = all.n_tasks;
	free(from);
	return result;
}

/* SPDX-License-Identifier: MIT */
/* range.c - a growing array, sorted once and then searched by halves. */
#include "tools/names/range.h"

#include <stdlib.h>
#include <string.h>

#define BACK_MAX 8u /* ranges that may begin between a range's begin and an address in it */

void ranges_add(struct ranges *ranges, const struct range *range)
{
	if (!range->start || range->start >= range->end) /* what the linker threw away */
		return;
	if (ranges->n == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 64;
		struct range *more = reallocarray(ranges->range, room, sizeof(*more));

		if (!more)
			return;
		ranges->range = more;
		ranges->room = room;
	}
	ranges->range[ranges->n++] = *range;
}

static int range_order(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->name && b->name ? strcmp(b->name, a->name) : 0;
}

void ranges_sort(struct ranges *ranges)
{
	if (ranges->n)
		qsort(ranges->range, ranges->n, sizeof(*ranges->range), range_order);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->range[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t back = 0; back < BACK_MAX && low-- > 0; back++)
		if (address < ranges->range[low].end)
			return &ranges->range[low];
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* range.c - a growing array, sorted once and then searched by halves. */
#include "tools/names/range.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/sorted.h"

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

	return order_least(a->start, b->start) ?: order_least(a->number, b->number) ?:
	       order_most(a->end, b->end) ?: (a->name && b->name ? strcmp(b->name, a->name) : 0);
}

void ranges_sort(struct ranges *ranges)
{
	SORT(ranges->range, ranges->n, range_order);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	uint64_t at = SORTED_BEFORE(ranges->range, ranges->n, it->start <= address);

	for (size_t back = 0; back < BACK_MAX && at-- > 0; back++)
		if (address < ranges->range[at].end)
			return &ranges->range[at];
	return NULL;
}

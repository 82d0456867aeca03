/* SPDX-License-Identifier: MIT */
/* long_waits.c - has room for twice as many; whenever that is full, the longer half stays. */
#include "tools/analysis/long_waits.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

ORDER(longest_first, struct long_wait,
      order_most(x->released_ns - x->begin_ns, y->released_ns - y->begin_ns) ?: BY_LEAST(waiter) ?:
      BY_LEAST(begin_ns))

void long_waits_sort(struct long_waits *waits)
{
	SORT(waits->wait, waits->n, longest_first);
	waits->n = (uint32_t)at_most(waits->n, LONG_WAITS);
}

void long_waits_add(struct long_waits *waits, const struct long_wait *wait)
{
	if (!waits->wait)
		waits->wait = xmalloc(2 * LONG_WAITS * sizeof(*waits->wait));
	if (waits->n == 2 * LONG_WAITS)
		long_waits_sort(waits);
	waits->wait[waits->n++] = *wait;
}

void long_waits_free(struct long_waits *waits)
{
	free(waits->wait);
	*waits = (struct long_waits){ 0 };
}

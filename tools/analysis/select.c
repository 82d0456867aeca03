/* SPDX-License-Identifier: MIT */
/* select.c - stretches of time. */
#include "tools/analysis/select.h"

#include <stdlib.h>

#include "tools/base/sorted.h"
#include "tools/base/map.h"

void select_add(struct select *select, uint64_t from_ns, uint64_t to_ns, uint32_t row)
{
	struct select_span *last = select->n ? &select->span[select->n - 1] : NULL;

	if (to_ns <= from_ns)
		return;
	if (last && last->to_ns == from_ns && last->row == row) {
		last->to_ns = to_ns;
	} else {
		ARRAY_ADD(select->span, select->n, select->room,
			  (struct select_span){ from_ns, to_ns, select->total_ns, row });
	}
	select->total_ns += to_ns - from_ns;
}

void select_free(struct select *select)
{
	free(select->span);
	*select = (struct select){ 0 };
}

uint32_t select_first(const struct select *select, uint64_t ns)
{
	return (uint32_t)SORTED_BEFORE(select->span, select->n, it->to_ns <= ns);
}

uint64_t select_before(const struct select *select, uint64_t ns)
{
	const struct select_span *span;
	uint64_t n = SORTED_BEFORE(select->span, select->n, it->from_ns < ns);

	if (n == 0)
		return 0;
	span = &select->span[n - 1];
	return span->before_ns + ((ns < span->to_ns ? ns : span->to_ns) - span->from_ns);
}

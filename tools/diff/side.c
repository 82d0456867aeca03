/* SPDX-License-Identifier: MIT */
/* side.c - keeps runs, and finds the one in the middle. */
#include "tools/diff/side.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"

void side_add(struct side *side, struct outcome *run, char *report)
{
	array_grow(&side->run, &side->run_room, side->n + 1ull, sizeof(*side->run));
	array_grow(&side->report, &side->report_room, side->n + 1ull, sizeof(*side->report));
	side->report[side->n] = report;
	side->run[side->n++] = *run;
	*run = (struct outcome){ 0 };
}

/* How many of the others come before that run; equals come in the order in which they were added.
 */
static uint32_t place_of(const struct side *side, uint32_t run)
{
	uint64_t ns = side->run[run].figure[FIGURE_ELAPSED];
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->n; i++) {
		uint64_t other = side->run[i].figure[FIGURE_ELAPSED];

		n += other < ns || (other == ns && i < run);
	}
	return n;
}

void side_complete(struct side *side)
{
	for (uint32_t i = 0; i < side->n; i++)
		if (place_of(side, i) == (side->n - 1) / 2)
			side->middle = i;
}

void side_free(struct side *side)
{
	for (uint32_t i = 0; i < side->n; i++) {
		outcome_free(&side->run[i]);
		free(side->report[i]);
	}
	free(side->run);
	free(side->report);
	free(side->label);
	lineage_free(&side->lineage);
	*side = (struct side){ 0 };
}

bool side_is_torn(const struct side *side)
{
	for (uint32_t i = 0; i < side->n; i++)
		if (side->run[i].n_torn)
			return true;
	return false;
}

struct interval side_interval(const struct side *side, enum figure figure)
{
	uint64_t *value = xmalloc((side->n + 1ull) * sizeof(*value));
	struct interval interval = { 0 };

	for (uint32_t i = 0; i < side->n; i++)
		value[i] = side->run[i].figure[figure];
	interval = interval_of(value, side->n);
	free(value);
	return interval;
}

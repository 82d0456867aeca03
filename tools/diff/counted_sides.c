/* SPDX-License-Identifier: MIT */
/* counted_sides.c - looks up what runs counted. */
#include "tools/diff/counted_sides.h"

#include <math.h>
#include <stdlib.h>

/* Sums by the numbers of the run; NULL: the run does not have that row. */
static const struct counts *counts_of(const struct comparison *c, struct counted_of of,
				      uint32_t run)
{
	const struct item *item;

	if (of.list == LISTS)
		return &c->run[run]->tallies.sum;
	item = c->list[of.list].item[(uint64_t)of.row * c->n_runs + run];
	return item ? &item->counts : NULL;
}

static uint32_t number_in(const struct comparison *c, uint32_t tally, uint32_t run)
{
	return c->tallies.number[(uint64_t)tally * c->n_runs + run];
}

static uint64_t total_in(const struct comparison *c, struct counted_of of, uint32_t run,
			 uint32_t tally)
{
	const struct counts *counts = counts_of(c, of, run);

	return counts ? counts->sum[number_in(c, tally, run)] : 0;
}

struct counted counted_side(const struct comparison *c, struct counted_of of, uint32_t side,
			    uint32_t tally)
{
	uint32_t run = comparison_middle(c, side);
	struct counted counted = { .known = number_in(c, tally, run) != COUNTED_NONE,
				   .per_task = NAN,
				   .per_work_s = NAN };
	uint64_t n_tasks, work_ns;

	if (!counted.known)
		return counted;
	n_tasks = of.list == LISTS ? c->run[run]->figure[FIGURE_TASKS]
				   : matches_value(&c->list[of.list], of.row, run, VALUE_TASKS);
	work_ns = of.list == LISTS ? c->run[run]->figure[FIGURE_WORK]
				   : matches_value(&c->list[of.list], of.row, run, VALUE_WORK);
	counted.total = total_in(c, of, run, tally);
	if (c->run[run]->tallies.tally[number_in(c, tally, run)].n_processes <
	    c->run[run]->n_processes)
		return counted;
	if (n_tasks)
		counted.per_task = (double)counted.total / (double)n_tasks;
	if (work_ns)
		counted.per_work_s = (double)counted.total * 1e9 / (double)work_ns;
	return counted;
}

double counted_side_ipc(const struct comparison *c, struct counted_of of, uint32_t side)
{
	uint32_t run = comparison_middle(c, side);
	const struct counts *counts = counts_of(c, of, run);
	struct counted_roles roles = c->tallies.roles;
	double ipc = 0;

	if (counts && roles.instructions != COUNTED_NONE && roles.cycles != COUNTED_NONE) {
		roles.instructions = number_in(c, roles.instructions, run);
		roles.cycles = number_in(c, roles.cycles, run);
		ipc = counted_ipc(counts, roles);
	}
	return ipc > 0 ? ipc : NAN;
}

/* Of the side's runs that have the counter. */
static struct interval interval_in(const struct comparison *c, struct counted_of of, uint32_t side,
				   uint32_t tally)
{
	uint32_t n = 0;
	uint64_t *value = malloc((c->side[side].n + 1ull) * sizeof(*value));
	struct interval interval = { 0 };

	for (uint32_t i = 0; value && i < c->side[side].n; i++)
		if (number_in(c, tally, c->first[side] + i) != COUNTED_NONE)
			value[n++] = total_in(c, of, c->first[side] + i, tally);
	if (value)
		interval = interval_of(value, n);
	free(value);
	return interval;
}

enum noise counted_noise(const struct comparison *c, struct counted_of of, uint32_t tally)
{
	struct interval a = interval_in(c, of, 0, tally);
	struct interval b = interval_in(c, of, c->n - 1, tally);

	return interval_noise(&a, &b);
}

bool counted_in_both(const struct comparison *c, uint32_t tally)
{
	return counted_side(c, COUNTED_ALL, 0, tally).known &&
	       counted_side(c, COUNTED_ALL, c->n - 1, tally).known;
}

bool counted_differs(const struct comparison *c, struct counted_of of, uint32_t tally)
{
	return counted_in_both(c, tally) &&
	       counted_side(c, of, 0, tally).total != counted_side(c, of, c->n - 1, tally).total;
}

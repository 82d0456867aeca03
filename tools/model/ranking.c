/* SPDX-License-Identifier: MIT */
/*
 * ranking.c - sorts steps by way: first by the leading bits of the way, then each class by the
 * rest. Each sort keeps the order that the one before made; the first is by task.
 *
 * Ways differ by orders of magnitude, and most are short.  So a class is a power of two, and the
 * ten bits after the first one: short ways have classes of their own, and need no second sort.
 */
#include "tools/model/simulate.h"

#include <stdlib.h>

#include "tools/base/large.h"
#include "tools/base/xalloc.h"

#define LEADING_BITS 10u
#define CLASSES ((65u - LEADING_BITS) << LEADING_BITS)
#define DIGIT_BITS 8u
#define FEW 32u /* sorted by insertion */

struct ranked_step {
	uint64_t way;
	strand_id step;
};

struct sorting {
	const struct graph *graph;
	const uint64_t *way;
	strand_id *step; /* by rank */
	struct ranked_step *room[2];
	uint64_t n_room;
};

/* Bits of the way that its class leaves open. */
static uint32_t open_bits(uint64_t way)
{
	return way >> LEADING_BITS ? 63u - (uint32_t)__builtin_clzll(way) - LEADING_BITS : 0;
}

/* Longer ways have smaller classes. */
static uint32_t class_of(uint64_t way)
{
	uint32_t bits = open_bits(way);

	return CLASSES - 1 - ((bits << LEADING_BITS) + (uint32_t)(way >> bits));
}

/* Stable; the longest first. */
static void insert_all(struct ranked_step *of, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		struct ranked_step one = of[i];
		uint64_t at = i;

		for (; at && of[at - 1].way < one.way; at--)
			of[at] = of[at - 1];
		of[at] = one;
	}
}

/* Likewise, by that digit. */
static void sort_digit(const struct ranked_step *from, struct ranked_step *to, uint64_t n,
		       uint32_t shift)
{
	uint64_t at[1u << DIGIT_BITS] = { 0 }, sum = 0;

	for (uint64_t i = 0; i < n; i++)
		at[(uint8_t)(from[i].way >> shift)]++;
	for (uint32_t d = 1u << DIGIT_BITS; d-- > 0;) {
		uint64_t of_digit = at[d];

		at[d] = sum;
		sum += of_digit;
	}
	for (uint64_t i = 0; i < n; i++)
		to[at[(uint8_t)(from[i].way >> shift)]++] = from[i];
}

static void grow(struct sorting *sorting, uint64_t n)
{
	uint64_t room = sorting->n_room;

	array_grow(&sorting->room[0], &room, n, sizeof(struct ranked_step));
	array_grow(&sorting->room[1], &sorting->n_room, n, sizeof(struct ranked_step));
}

/* The steps of one class. */
static void sort_class(struct sorting *sorting, strand_id *step, uint64_t n)
{
	uint32_t bits = open_bits(sorting->way[step[0]]);
	struct ranked_step *from, *to, *other;

	if (n < 2 || !bits)
		return;
	grow(sorting, n);
	from = sorting->room[0];
	to = sorting->room[1];
	for (uint64_t i = 0; i < n; i++)
		from[i] = (struct ranked_step){ sorting->way[step[i]], step[i] };
	if (n < FEW)
		insert_all(from, n);
	for (uint32_t shift = 0; n >= FEW && shift < bits; shift += DIGIT_BITS) {
		sort_digit(from, to, n, shift);
		other = from;
		from = to;
		to = other;
	}
	for (uint64_t i = 0; i < n; i++)
		step[i] = from[i].step;
}

static uint32_t task_of(const struct sorting *sorting, strand_id s)
{
	task_id task = sorting->graph->step[s].task;

	return task == TASK_NONE ? sorting->graph->dag->n_tasks : task;
}

static uint32_t class_of_step(const struct sorting *sorting, strand_id s)
{
	return class_of(sorting->way[s]);
}

/* `from`, or all in their order if it is NULL, to `to`, by what is below n.  Where each ends. */
static uint32_t *distribute(const struct sorting *sorting, const strand_id *from, strand_id *to,
			    uint32_t n, uint32_t (*of)(const struct sorting *, strand_id))
{
	uint32_t *end = xcalloc(n + 1ull, sizeof(*end)), n_steps = sorting->graph->n_steps;

	for (strand_id s = 0; s < n_steps; s++)
		end[of(sorting, s) + 1]++;
	for (uint32_t i = 0; i < n; i++)
		end[i + 1] += end[i];
	for (uint32_t i = 0; i < n_steps; i++) {
		strand_id s = from ? from[i] : i;

		to[end[of(sorting, s)]++] = s;
	}
	return end;
}

static void sort(struct sorting *sorting)
{
	const struct graph *graph = sorting->graph;
	strand_id *by_task = xmalloc((graph->n_steps + 1ull) * sizeof(*by_task));
	uint32_t *end = NULL, from = 0;

	end = distribute(sorting, NULL, by_task, graph->dag->n_tasks + 1, task_of);
	free(end);
	end = distribute(sorting, by_task, sorting->step, CLASSES, class_of_step);
	free(by_task);
	for (uint32_t c = 0; c < CLASSES; from = end[c++])
		if (end[c] > from)
			sort_class(sorting, &sorting->step[from], end[c] - from);
	free(end);
}

void ranking_build(struct ranking *ranking, const struct graph *graph)
{
	uint64_t *way = graph_ways(graph);
	struct sorting sorting = { .graph = graph, .way = way };

	ranking->step = large_alloc(graph->n_steps + 1ull, sizeof(*ranking->step));
	sorting.step = ranking->step;
	sort(&sorting);
	free(sorting.room[0]);
	free(sorting.room[1]);
	free(way);
	ranking->rank = large_alloc(graph->n_steps + 1ull, sizeof(*ranking->rank));
	for (uint32_t r = 0; r < graph->n_steps; r++)
		ranking->rank[ranking->step[r]] = r;
}

void ranking_free(struct ranking *ranking)
{
	free(ranking->rank);
	free(ranking->step);
	*ranking = (struct ranking){ 0 };
}

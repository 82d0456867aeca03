/* SPDX-License-Identifier: MIT */
/* crossed.c - crosses the kinds of the graphs so far with those of one more. */
#include "tools/analysis/crossed.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"

#define RECENT 256u /* pairs that need no search; a power of two */
#define KIND_NONE UINT32_MAX

struct pairs {
	kind_id *former, *other; /* by new kind: the two that it is */
	uint32_t n, n_former;
	uint64_t former_room, other_room;
	struct map number; /* former << 32 | other -> new kind + 1 */
	struct recent {
		uint64_t pair;
		kind_id kind;
	} recent[RECENT];
};

static void add_pair(struct pairs *pairs, kind_id former, kind_id other)
{
	ARRAY_ADD(pairs->former, pairs->n_former, pairs->former_room, former);
	ARRAY_ADD(pairs->other, pairs->n, pairs->other_room, other);
}

/* The new kind of both. */
static kind_id find_pair(struct pairs *pairs, kind_id former, kind_id other)
{
	uint64_t pair = (uint64_t)former << 32 | other;
	struct recent *recent = &pairs->recent[(former * 31 + other) % RECENT];
	uint64_t *number;

	if (recent->pair == pair) /* a zeroed one knows of the roots, which are kind 0 of all */
		return recent->kind;
	number = map_put(&pairs->number, pair);
	if (!*number) {
		add_pair(pairs, former, other);
		*number = pairs->n;
	}
	*recent = (struct recent){ pair, (kind_id)*number - 1 };
	return recent->kind;
}

static void number_tasks(struct pairs *pairs, struct dag *to, const struct dag *dag)
{
	add_pair(pairs, KIND_OF_ROOTS, KIND_OF_ROOTS);
	for (task_id t = 0; t < dag->n_tasks; t++)
		to->task_kind[t] = find_pair(pairs, to->task_kind[t], dag->task_kind[t]);
}

/* What the new kinds are of the former graphs. */
static void take_kinds(struct crossed *crossed, const struct pairs *pairs, uint32_t n_former)
{
	for (uint32_t i = 0; i < n_former; i++) {
		kind_id *now = xmalloc(pairs->n * sizeof(*now));

		for (kind_id k = 0; k < pairs->n; k++)
			now[k] = crossed->kind_of[i][pairs->former[k]];
		free(crossed->kind_of[i]);
		crossed->kind_of[i] = now;
	}
	crossed->dag.n_kinds = pairs->n;
}

/* The g-th graph's kinds as well. */
static void cross(struct crossed *crossed, const struct dag *dag, uint32_t g)
{
	struct pairs pairs = { 0 };

	number_tasks(&pairs, &crossed->dag, dag);
	take_kinds(crossed, &pairs, g);

	crossed->kind_of[g] = pairs.other;
	free(pairs.former);
	map_free(&pairs.number);
}

/* The first graph's, as they are. */
static void take_first(struct crossed *crossed, const struct dag *dag)
{
	size_t size = dag->n_tasks * sizeof(*dag->task_kind);

	crossed->dag = *dag;
	crossed->dag.kind_site = NULL;
	crossed->dag.kind_what = NULL;
	crossed->dag.kind_collapsed = NULL;
	crossed->dag.kind_runtimes = NULL;
	crossed->dag.task_kind = xmalloc(size + 1);
	crossed->kind_of[0] = xmalloc((dag->n_kinds + 1ull) * sizeof(kind_id));
	memcpy(crossed->dag.task_kind, dag->task_kind, size);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		crossed->kind_of[0][k] = k;
}

void crossed_build(struct crossed *crossed, const struct dag *const *dag, uint32_t n)
{
	uint16_t *runtimes;

	*crossed = (struct crossed){ 0 };
	take_first(crossed, dag[0]);
	for (uint32_t g = 1; g < n; g++)
		cross(crossed, dag[g], g);
	runtimes = xmalloc(crossed->dag.n_kinds * sizeof(*runtimes) + 1);
	crossed->dag.kind_runtimes = runtimes;
	for (kind_id k = 0; k < crossed->dag.n_kinds; k++)
		runtimes[k] = dag[0]->kind_runtimes[crossed->kind_of[0][k]];
}

void crossed_free(struct crossed *crossed)
{
	free(crossed->dag.task_kind);
	free(crossed->dag.kind_runtimes);
	for (uint32_t g = 0; g < CROSSED_MOST; g++)
		free(crossed->kind_of[g]);
	*crossed = (struct crossed){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* crossed.c - crosses the kinds of the graphs so far with those of one more. */
#include "tools/analysis/crossed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"

#define RECENT 256u /* pairs that need no search; a power of two */
#define KIND_NONE UINT32_MAX

struct pairs {
	kind_id *former, *other; /* by new kind: the two that it is */
	uint32_t n;
	uint64_t former_room, other_room;
	struct map number; /* former << 32 | other -> new kind + 1 */
	struct recent {
		uint64_t pair;
		kind_id kind;
	} recent[RECENT];
};

static bool add_pair(struct pairs *pairs, kind_id former, kind_id other)
{
	if (!array_grow(&pairs->former, &pairs->former_room, pairs->n + 1ull,
			sizeof(*pairs->former)) ||
	    !array_grow(&pairs->other, &pairs->other_room, pairs->n + 1ull, sizeof(*pairs->other)))
		return false;
	pairs->former[pairs->n] = former;
	pairs->other[pairs->n++] = other;
	return true;
}

/* The new kind of both; KIND_NONE if there is no memory. */
static kind_id find_pair(struct pairs *pairs, kind_id former, kind_id other)
{
	uint64_t pair = (uint64_t)former << 32 | other;
	struct recent *recent = &pairs->recent[(former * 31 + other) % RECENT];
	uint64_t *number;

	if (recent->pair == pair) /* a zeroed one knows of the roots, which are kind 0 of all */
		return recent->kind;
	number = map_put(&pairs->number, pair);
	if (!number)
		return KIND_NONE;
	if (!*number) {
		if (!add_pair(pairs, former, other))
			return KIND_NONE;
		*number = pairs->n;
	}
	*recent = (struct recent){ pair, (kind_id)*number - 1 };
	return recent->kind;
}

static int number_tasks(struct pairs *pairs, struct dag *to, const struct dag *dag)
{
	if (!add_pair(pairs, KIND_OF_ROOTS, KIND_OF_ROOTS))
		return -ENOMEM;
	for (task_id t = 0; t < dag->n_tasks; t++) {
		to->task_kind[t] = find_pair(pairs, to->task_kind[t], dag->task_kind[t]);
		if (to->task_kind[t] == KIND_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* What the new kinds are of the former graphs. */
static int take_kinds(struct crossed *crossed, const struct pairs *pairs, uint32_t n_former)
{
	for (uint32_t i = 0; i < n_former; i++) {
		kind_id *now = malloc(pairs->n * sizeof(*now));

		if (!now)
			return -ENOMEM;
		for (kind_id k = 0; k < pairs->n; k++)
			now[k] = crossed->kind_of[i][pairs->former[k]];
		free(crossed->kind_of[i]);
		crossed->kind_of[i] = now;
	}
	crossed->dag.n_kinds = pairs->n;
	return 0;
}

/* The g-th graph's kinds as well. */
static int cross(struct crossed *crossed, const struct dag *dag, uint32_t g)
{
	struct pairs pairs = { 0 };
	int error = number_tasks(&pairs, &crossed->dag, dag) ?: take_kinds(crossed, &pairs, g);

	crossed->kind_of[g] = pairs.other;
	free(pairs.former);
	map_free(&pairs.number);
	return error;
}

/* The first graph's, as they are. */
static int take_first(struct crossed *crossed, const struct dag *dag)
{
	size_t size = dag->n_tasks * sizeof(*dag->task_kind);

	crossed->dag = *dag;
	crossed->dag.kind_site = NULL;
	crossed->dag.kind_what = NULL;
	crossed->dag.kind_collapsed = NULL;
	crossed->dag.kind_runtimes = NULL;
	crossed->dag.task_kind = malloc(size + 1);
	crossed->kind_of[0] = malloc((dag->n_kinds + 1ull) * sizeof(kind_id));
	if (!crossed->dag.task_kind || !crossed->kind_of[0])
		return -ENOMEM;
	memcpy(crossed->dag.task_kind, dag->task_kind, size);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		crossed->kind_of[0][k] = k;
	return 0;
}

int crossed_build(struct crossed *crossed, const struct dag *const *dag, uint32_t n)
{
	uint16_t *runtimes;
	int error;

	*crossed = (struct crossed){ 0 };
	error = take_first(crossed, dag[0]);
	for (uint32_t g = 1; g < n && !error; g++)
		error = cross(crossed, dag[g], g);
	runtimes = error ? NULL : malloc(crossed->dag.n_kinds * sizeof(*runtimes) + 1);
	crossed->dag.kind_runtimes = runtimes;
	for (kind_id k = 0; runtimes && k < crossed->dag.n_kinds; k++)
		runtimes[k] = dag[0]->kind_runtimes[crossed->kind_of[0][k]];
	if (!runtimes)
		crossed_free(crossed);
	return runtimes ? 0 : -ENOMEM;
}

void crossed_free(struct crossed *crossed)
{
	free(crossed->dag.task_kind);
	free(crossed->dag.kind_runtimes);
	for (uint32_t g = 0; g < CROSSED_MOST; g++)
		free(crossed->kind_of[g]);
	*crossed = (struct crossed){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* callpaths.c - numbers pairs of code and call path. */
#include "tools/analysis/callpaths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"

struct pairs {
	struct map number; /* code << 32 | path -> kind + 1 */
	uint64_t base_room, path_room;
	uint32_t n;
};

static int kind_of(struct callpaths *callpaths, struct pairs *pairs, kind_id code, uint32_t path,
		   kind_id *kind)
{
	uint64_t *number = map_put(&pairs->number, (uint64_t)code << 32 | path);

	if (!number)
		return -ENOMEM;
	if (!*number) {
		if (!array_grow(&callpaths->base, &pairs->base_room, pairs->n + 1ull,
				sizeof(*callpaths->base)) ||
		    !array_grow(&callpaths->path, &pairs->path_room, pairs->n + 1ull,
				sizeof(*callpaths->path)))
			return -ENOMEM;
		callpaths->base[pairs->n] = code;
		callpaths->path[pairs->n] = path;
		*number = ++pairs->n;
	}
	*kind = (kind_id)*number - 1;
	return 0;
}

static int find_kinds(struct callpaths *callpaths, struct pairs *pairs, const struct dag *dag,
		      const kind_id *code)
{
	kind_id *of_task = malloc((dag->n_tasks + 1ull) * sizeof(*of_task)), roots;
	int error = of_task ? kind_of(callpaths, pairs, KIND_OF_ROOTS, 0, &roots) : -ENOMEM;

	callpaths->dag.task_kind = of_task;
	for (task_id t = 0; t < dag->n_tasks && !error; t++)
		error = kind_of(callpaths, pairs, code[dag->task_kind[t]],
				dag->task_path ? dag->task_path[t] : 0, &of_task[t]);
	return error;
}

/* The arrays by kind. */
static int fill(struct callpaths *callpaths, const struct dag *dag, uint32_t n)
{
	struct dag *to = &callpaths->dag;

	to->n_kinds = n;
	to->kind_site = malloc(n * sizeof(*to->kind_site));
	to->kind_what = malloc(n * sizeof(*to->kind_what));
	to->kind_runtimes = malloc(n * sizeof(*to->kind_runtimes));
	to->kind_collapsed = calloc(n, sizeof(struct kind_collapsed *));
	if (!to->kind_site || !to->kind_what || !to->kind_runtimes || !to->kind_collapsed)
		return -ENOMEM;
	for (kind_id k = 0; k < n; k++) {
		to->kind_site[k] = dag->kind_site[callpaths->base[k]];
		to->kind_what[k] = dag->kind_what[callpaths->base[k]];
		to->kind_runtimes[k] = dag->kind_runtimes[callpaths->base[k]];
	}
	return 0;
}

int callpaths_build(struct callpaths *callpaths, const struct dag *dag, const kind_id *code)
{
	struct pairs pairs = { .n = 0 };
	int error;

	*callpaths = (struct callpaths){ .dag = *dag };
	callpaths->dag.task_kind = NULL;
	callpaths->dag.kind_site = NULL;
	callpaths->dag.kind_what = NULL;
	callpaths->dag.kind_runtimes = NULL;
	callpaths->dag.kind_collapsed = NULL;
	error = find_kinds(callpaths, &pairs, dag, code) ?: fill(callpaths, dag, pairs.n);
	map_free(&pairs.number);
	if (error)
		callpaths_free(callpaths);
	return error;
}

void callpaths_free(struct callpaths *callpaths)
{
	free(callpaths->dag.task_kind);
	free(callpaths->dag.kind_site);
	free(callpaths->dag.kind_what);
	free(callpaths->dag.kind_runtimes);
	free(callpaths->dag.kind_collapsed);
	free(callpaths->base);
	free(callpaths->path);
	*callpaths = (struct callpaths){ 0 };
}

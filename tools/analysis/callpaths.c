/* SPDX-License-Identifier: MIT */
/* callpaths.c - numbers pairs of code and call path. */
#include "tools/analysis/callpaths.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"

struct pairs {
	struct map number; /* code << 32 | path -> kind + 1 */
	uint64_t base_room, path_room;
	uint32_t n;
};

static void kind_of(struct callpaths *callpaths, struct pairs *pairs, kind_id code, uint32_t path,
		    kind_id *kind)
{
	uint64_t *number = map_put(&pairs->number, (uint64_t)code << 32 | path);

	if (!*number) {
		array_grow(&callpaths->base, &pairs->base_room, pairs->n + 1ull,
			   sizeof(*callpaths->base));
		array_grow(&callpaths->path, &pairs->path_room, pairs->n + 1ull,
			   sizeof(*callpaths->path));
		callpaths->base[pairs->n] = code;
		callpaths->path[pairs->n] = path;
		*number = ++pairs->n;
	}
	*kind = (kind_id)*number - 1;
}

static void find_kinds(struct callpaths *callpaths, struct pairs *pairs, const struct dag *dag,
		       const kind_id *code)
{
	kind_id *of_task = xmalloc((dag->n_tasks + 1ull) * sizeof(*of_task)), roots;

	kind_of(callpaths, pairs, KIND_OF_ROOTS, 0, &roots);

	callpaths->dag.task_kind = of_task;
	for (task_id t = 0; t < dag->n_tasks; t++)
		kind_of(callpaths, pairs, code[dag->task_kind[t]],
			dag->task_path ? dag->task_path[t] : 0, &of_task[t]);
}

/* The arrays by kind. */
static void fill(struct callpaths *callpaths, const struct dag *dag, uint32_t n)
{
	struct dag *to = &callpaths->dag;

	to->n_kinds = n;
	to->kind_site = xmalloc(n * sizeof(*to->kind_site));
	to->kind_what = xmalloc(n * sizeof(*to->kind_what));
	to->kind_runtimes = xmalloc(n * sizeof(*to->kind_runtimes));
	to->kind_collapsed = xcalloc(n, sizeof(struct kind_collapsed *));
	for (kind_id k = 0; k < n; k++) {
		to->kind_site[k] = dag->kind_site[callpaths->base[k]];
		to->kind_what[k] = dag->kind_what[callpaths->base[k]];
		to->kind_runtimes[k] = dag->kind_runtimes[callpaths->base[k]];
	}
}

void callpaths_build(struct callpaths *callpaths, const struct dag *dag, const kind_id *code)
{
	struct pairs pairs = { .n = 0 };

	*callpaths = (struct callpaths){ .dag = *dag };
	callpaths->dag.task_kind = NULL;
	callpaths->dag.kind_site = NULL;
	callpaths->dag.kind_what = NULL;
	callpaths->dag.kind_runtimes = NULL;
	callpaths->dag.kind_collapsed = NULL;
	find_kinds(callpaths, &pairs, dag, code);
	fill(callpaths, dag, pairs.n);
	map_free(&pairs.number);
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

/* SPDX-License-Identifier: MIT */
/* alike.c - numbers kinds anew, and adds up what the collapsed tasks of a code are. */
#include "tools/dag/alike.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"

static void add_collapsed(struct kind_collapsed *to, const struct kind_collapsed *from)
{
	if (to->n_tasks == 0 || (from->n_tasks && from->least_ns < to->least_ns))
		to->least_ns = from->least_ns;
	if (from->most_ns > to->most_ns)
		to->most_ns = from->most_ns;
	to->n_tasks += from->n_tasks;
	to->work_ns += from->work_ns;
	to->ready_ns += from->ready_ns;
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++)
		to->n_by_work[i] += from->n_by_work[i];
}

static void join_collapsed(struct kind_collapsed **to, const struct kind_collapsed *from)
{
	if (!from)
		return;
	if (!*to)
		*to = xcalloc(1, sizeof(**to));
	add_collapsed(*to, from);
}

/* Gives the graph n kinds: base[k] is one of `dag` that is like it. */
static void take_kinds(struct dag *to, const struct dag *dag, const kind_id *base, uint32_t n)
{
	to->n_kinds = n;
	to->kind_site = xmalloc((n + 1ull) * sizeof(*to->kind_site));
	to->kind_what = xmalloc((n + 1ull) * sizeof(*to->kind_what));
	to->kind_runtimes = xmalloc((n + 1ull) * sizeof(*to->kind_runtimes));
	to->kind_collapsed = xcalloc(n + 1ull, sizeof(struct kind_collapsed *));
	for (kind_id k = 0; k < n; k++) {
		to->kind_site[k] = dag->kind_site[base[k]];
		to->kind_what[k] = dag->kind_what[base[k]];
		to->kind_runtimes[k] = dag->kind_runtimes[base[k]];
	}
}

/* ---- by code ---- */

void alike_join(struct dag *dag, const kind_id *code, struct dag *apart)
{
	struct dag joined = *dag;
	kind_id *now = xmalloc((dag->n_kinds + 1ull) * sizeof(*now)); /* a kind's new number */
	kind_id *base = xmalloc((dag->n_kinds + 1ull) * sizeof(*base));
	uint32_t n = 0;

	for (kind_id k = 0; k < dag->n_kinds; k++) {
		now[k] = code[k] == k ? n++ : now[code[k]];
		if (code[k] == k)
			base[now[k]] = k;
	}
	take_kinds(&joined, dag, base, n);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		join_collapsed(&joined.kind_collapsed[now[k]], dag->kind_collapsed[k]);
	joined.task_kind = xmalloc((dag->n_tasks + 1ull) * sizeof(*joined.task_kind));
	for (task_id t = 0; t < dag->n_tasks; t++)
		joined.task_kind[t] = now[dag->task_kind[t]];
	free(now);
	free(base);
	*apart = *dag;
	*dag = joined;
}

void alike_free(struct dag *apart)
{
	for (kind_id k = 0; apart->kind_collapsed && k < apart->n_kinds; k++)
		free(apart->kind_collapsed[k]);
	free(apart->kind_collapsed);
	free(apart->task_kind);
	free(apart->kind_site);
	free(apart->kind_what);
	free(apart->kind_runtimes);
	*apart = (struct dag){ 0 };
}

/* ---- by code and call path ---- */

struct pairs {
	struct map number; /* code << 32 | path -> kind + 1 */
	uint64_t base_room, path_room;
	uint32_t n, n_base;
};

static kind_id kind_of(struct callpaths *callpaths, struct pairs *pairs, kind_id code,
		       uint32_t path)
{
	uint64_t *number = map_put(&pairs->number, (uint64_t)code << 32 | path);

	if (!*number) {
		ARRAY_ADD(callpaths->base, pairs->n_base, pairs->base_room, code);
		ARRAY_ADD(callpaths->path, pairs->n, pairs->path_room, path);
		*number = pairs->n;
	}
	return (kind_id)*number - 1;
}

void callpaths_build(struct callpaths *callpaths, const struct dag *dag, const kind_id *code)
{
	kind_id *of_task = xmalloc((dag->n_tasks + 1ull) * sizeof(*of_task));
	struct pairs pairs = { .n = 0 };

	*callpaths = (struct callpaths){ .dag = *dag };
	callpaths->dag.task_kind = of_task;
	kind_of(callpaths, &pairs, KIND_OF_ROOTS, 0);
	for (task_id t = 0; t < dag->n_tasks; t++)
		of_task[t] = kind_of(callpaths, &pairs, code[dag->task_kind[t]],
				     dag->task_path ? dag->task_path[t] : 0);
	take_kinds(&callpaths->dag, dag, callpaths->base, pairs.n);
	map_free(&pairs.number);
}

void callpaths_free(struct callpaths *callpaths)
{
	alike_free(&callpaths->dag);
	free(callpaths->base);
	free(callpaths->path);
	*callpaths = (struct callpaths){ 0 };
}

/* SPDX-License-Identifier: MIT */
/* alike.c - numbers kinds anew, and adds up what the collapsed tasks of a code are. */
#include "tools/dag/alike.h"

#include <stdlib.h>

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

/* The arrays by kind; now[k] becomes the new number of a kind. */
static void join_kinds(struct dag *joined, const struct dag *dag, const kind_id *code, kind_id *now)
{
	joined->n_kinds = 0;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		now[k] = code[k] == k ? joined->n_kinds++ : now[code[k]];
		if (code[k] == k) {
			joined->kind_site[now[k]] = dag->kind_site[k];
			joined->kind_what[now[k]] = dag->kind_what[k];
			joined->kind_runtimes[now[k]] = dag->kind_runtimes[k];
		}
		join_collapsed(&joined->kind_collapsed[now[k]], dag->kind_collapsed[k]);
	}
}

void alike_join(struct dag *dag, const kind_id *code, struct dag *apart)
{
	struct dag joined = *dag;
	kind_id *now = xmalloc((dag->n_kinds + 1ull) * sizeof(*now));

	joined.task_kind = xmalloc((dag->n_tasks + 1ull) * sizeof(*joined.task_kind));
	joined.kind_site = xcalloc(dag->n_kinds + 1ull, sizeof(*joined.kind_site));
	joined.kind_what = xcalloc(dag->n_kinds + 1ull, sizeof(*joined.kind_what));
	joined.kind_runtimes = xcalloc(dag->n_kinds + 1ull, sizeof(*joined.kind_runtimes));
	joined.kind_collapsed = xcalloc(dag->n_kinds + 1ull, sizeof(struct kind_collapsed *));
	join_kinds(&joined, dag, code, now);
	for (task_id t = 0; t < dag->n_tasks; t++)
		joined.task_kind[t] = now[dag->task_kind[t]];
	free(now);
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

/* SPDX-License-Identifier: MIT */
/* alike.c - numbers kinds anew, and adds up what the collapsed tasks of a code are. */
#include "tools/dag/alike.h"

#include <errno.h>
#include <stdlib.h>

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

static int join_collapsed(struct kind_collapsed **to, const struct kind_collapsed *from)
{
	if (!from)
		return 0;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	add_collapsed(*to, from);
	return 0;
}

/* The arrays by kind; now[k] becomes the new number of a kind. */
static int join_kinds(struct dag *joined, const struct dag *dag, const kind_id *code, kind_id *now)
{
	int error = 0;

	joined->n_kinds = 0;
	for (kind_id k = 0; k < dag->n_kinds && !error; k++) {
		now[k] = code[k] == k ? joined->n_kinds++ : now[code[k]];
		if (code[k] == k) {
			joined->kind_site[now[k]] = dag->kind_site[k];
			joined->kind_what[now[k]] = dag->kind_what[k];
			joined->kind_runtimes[now[k]] = dag->kind_runtimes[k];
		}
		error = join_collapsed(&joined->kind_collapsed[now[k]], dag->kind_collapsed[k]);
	}
	return error;
}

int alike_join(struct dag *dag, const kind_id *code, struct dag *apart)
{
	struct dag joined = *dag;
	kind_id *now = malloc((dag->n_kinds + 1ull) * sizeof(*now));
	int error = -ENOMEM;

	joined.task_kind = malloc((dag->n_tasks + 1ull) * sizeof(*joined.task_kind));
	joined.kind_site = calloc(dag->n_kinds + 1ull, sizeof(*joined.kind_site));
	joined.kind_what = calloc(dag->n_kinds + 1ull, sizeof(*joined.kind_what));
	joined.kind_runtimes = calloc(dag->n_kinds + 1ull, sizeof(*joined.kind_runtimes));
	joined.kind_collapsed = calloc(dag->n_kinds + 1ull, sizeof(struct kind_collapsed *));
	if (now && joined.task_kind && joined.kind_site && joined.kind_what &&
	    joined.kind_runtimes && joined.kind_collapsed)
		error = join_kinds(&joined, dag, code, now);
	for (task_id t = 0; t < dag->n_tasks && !error; t++)
		joined.task_kind[t] = now[dag->task_kind[t]];
	free(now);
	if (error) {
		alike_free(&joined);
		return error;
	}
	*apart = *dag;
	*dag = joined;
	return 0;
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

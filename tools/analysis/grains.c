/* SPDX-License-Identifier: MIT */
/* grains.c - puts tasks into powers of two, and shares out what was collapsed. */
#include "tools/analysis/grains.h"

#include <stdlib.h>

#include "tools/analysis/apportion.h"
#include "tools/analysis/kinds.h"
#include "tools/base/xalloc.h"

static uint32_t grain_of(uint64_t work_ns)
{
	return work_ns ? 64u - (uint32_t)__builtin_clzll(work_ns) : 1;
}

static bool has_grain(const struct dag *dag, kind_id kind)
{
	return dag->kind_what[kind] == KIND_TASK || dag->kind_what[kind] == KIND_LOOP;
}

static void place_tasks(struct grains *grains, const struct dag *dag)
{
	uint64_t *work = kinds_work(dag, NULL);

	grains->of_task = xcalloc(dag->n_tasks + 1ull, sizeof(*grains->of_task));
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (has_grain(dag, dag->task_kind[t]) && dag->task_state[t] & TASK_BEGUN)
			grains->of_task[t] = grain_of(work[t]);
	free(work);
}

/* ---- collapsed tasks ---- */

/* A kind's collapsed tasks, grain by grain. */
struct sharing {
	uint64_t n[GRAINS], work[GRAINS]; /* tasks, and about so much work: weights */
	uint64_t tasks[GRAINS], work_ns[GRAINS], ready_ns[GRAINS];
};

static void share_sums(struct sharing *sharing, const struct kind_collapsed *from, bool none)
{
	*sharing = (struct sharing){ 0 };
	for (uint32_t b = 0; b < WIRE_BUCKETS; b++) {
		uint64_t least = wire_bucket_least(b);
		uint32_t grain = none ? 0 : grain_of(least);

		sharing->n[grain] += from->n_by_work[b];
		sharing->work[grain] += from->n_by_work[b] * (least ? least : 1);
	}
	apportion(from->n_tasks, sharing->n, GRAINS, sharing->tasks);
	apportion(from->work_ns, sharing->work, GRAINS, sharing->work_ns);
	apportion(from->ready_ns, sharing->n, GRAINS, sharing->ready_ns);
}

/* The extremes of a kind's tasks in a grain, as far as they are known. */
static void widen(struct kind_collapsed *to, const struct kind_collapsed *from, uint32_t grain)
{
	uint64_t least = grain_least_ns(grain);
	uint64_t most = grain && grain + 1 < GRAINS ? grain_least_ns(grain + 1) - 1 : UINT64_MAX;

	least = from->least_ns > least ? from->least_ns : least;
	most = from->most_ns < most ? from->most_ns : most;
	to->least_ns = least < to->least_ns ? least : to->least_ns;
	to->most_ns = most > to->most_ns ? most : to->most_ns;
}

static void share_kind(struct grains *grains, const struct kind_collapsed *from, bool none)
{
	struct sharing sharing;

	share_sums(&sharing, from, none);

	for (uint32_t g = 0; g < GRAINS; g++) {
		struct kind_collapsed *to;

		if (!sharing.tasks[g] && !sharing.work_ns[g] && !sharing.ready_ns[g])
			continue;
		to = kinds_sums(&grains->collapsed[g]);
		to->n_tasks += sharing.tasks[g];
		to->work_ns += sharing.work_ns[g];
		to->ready_ns += sharing.ready_ns[g];
		widen(to, from, g);
	}
	for (uint32_t b = 0; b < WIRE_BUCKETS; b++) {
		uint32_t g = none ? 0 : grain_of(wire_bucket_least(b));

		if (from->n_by_work[b] && grains->collapsed[g])
			grains->collapsed[g]->n_by_work[b] += from->n_by_work[b];
	}
}

/* ---- all of it ---- */

/* The graph with grains for kinds. */
static void regroup(struct grains *grains, const struct dag *from)
{
	for (uint32_t g = 0; g < GRAINS; g++) {
		grains->site[g] = g ? SITE_UNKNOWN : SITE_NONE;
		grains->what[g] = g ? KIND_TASK : KIND_ROOT;
		grains->runtimes[g] = g ? UINT16_MAX : 0;
	}
	grains->dag = *from;
	grains->dag.n_kinds = GRAINS;
	grains->dag.task_kind = grains->of_task;
	grains->dag.kind_collapsed = grains->collapsed;
	grains->dag.kind_site = grains->site;
	grains->dag.kind_what = grains->what;
	grains->dag.kind_runtimes = grains->runtimes;
}

void grains_build(struct grains *grains, const struct dag *dag)
{
	*grains = (struct grains){ 0 };
	place_tasks(grains, dag);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			share_kind(grains, dag->kind_collapsed[k], !has_grain(dag, k));
	regroup(grains, dag);
}

void grains_free(struct grains *grains)
{
	for (uint32_t g = 0; g < GRAINS; g++)
		free(grains->collapsed[g]);
	free(grains->of_task);
	*grains = (struct grains){ 0 };
}

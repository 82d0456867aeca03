/* SPDX-License-Identifier: MIT */
/*
 * gomp_team.c - parallel regions: the team is forked, its implicit tasks begin and end, and the
 * region's end joins them.
 *
 * The data of a region lives until it ends, so ours is in the aside of the call.  A region that old
 * code opens and closes with two calls (GCC up to 4.8) keeps its aside in between.
 */
#include "shims/gomp/gomp.h"

#include "preload/poison.h"

GOMP_IN_TEAM(CALL_WRAPPER)

struct region {
	uint64_t reductions; /* GOMP_parallel_reductions reads the program's first word here */
	gomp_fn fn;
	void *data;
	struct gomp *gomp;
	struct stay stay; /* of the forking task */
	record_id group;
	struct omp_aside *outer; /* of the open region of old code around this one */
};
_Static_assert(sizeof(struct region) <= OMP_BLOCK_BYTES, "lies in an aside");

/* Regions of old code that this thread has open. */
static __thread struct {
	struct omp_aside *innermost; /* of those that are recorded */
	uint64_t recorded;	     /* a bit for each, the innermost's lowest */
} opened __attribute__((tls_model("initial-exec")));

static inline struct region *region_of(struct omp_aside *aside)
{
	return (struct region *)aside->block;
}

static struct stay member_begin(struct region *region, struct worker *worker)
{
	gomp_thread.gomp = region->gomp;
	gomp_thread.group = region->group;
	if (worker == region->stay.worker)
		record_runtime_workers(region->gomp->head.runtime,
				       (uint32_t)region->gomp->omp_get_num_threads());
	return stay_member(worker, region->group);
}

/* One member of the team, on its thread. */
static void region_run(void *data)
{
	struct region *region = data;
	struct worker *worker = record_worker();
	struct gomp_thread outer = gomp_thread;

	if (!worker) {
		region->fn(region->data);
		return;
	}
	struct stay stay = member_begin(region, worker);

	region->fn(region->data);
	stay_end(&stay);
	if (outer.gomp) /* a pool thread stays with the team: tasks run in its last barrier */
		gomp_thread = outer;
}

static void region_close(struct omp_aside *aside)
{
	struct stay stay = region_of(aside)->stay;

	if (omp_aside_close(worker_self(), aside))
		stay_resume(&stay);
}

static void *region_back(struct aside *aside, void *returned)
{
	region_close((struct omp_aside *)aside);
	return returned;
}

/* A call that forks, with (fn, data, ..).  NULL: it is not recorded; or, on libomp, callbacks tell
 * of it. */
static struct omp_aside *region_enter(const struct callsite *callsite, uintptr_t in[6])
{
	struct worker *worker = gomp_worker(callsite);
	struct omp_aside *aside;

	if (worker && gomp_of(callsite)->head.other) {
		ompt_take_note(worker, OMPT_NOTE_FORK, callsite->site);
		return NULL;
	}
	aside = worker ? omp_aside_open(worker, region_back) : NULL;
	if (!aside)
		return NULL;
	record_id group = record_fork(worker, callsite->site, WIRE_FORK_TEAM);

	*region_of(aside) = (struct region){
		.fn = (gomp_fn)in[0],
		.data = (void *)in[1], /* NOLINT: words */
		.gomp = gomp_of(callsite),
		.stay = stay_keep(worker),
		.group = group,
	};
	in[0] = (uintptr_t)region_run;
	in[1] = (uintptr_t)region_of(aside);
	return aside;
}

static struct omp_aside *reductions_enter(const struct callsite *callsite, uintptr_t in[6])
{
	const uint64_t *data = (const uint64_t *)in[1]; /* NOLINT: words */
	struct omp_aside *aside = region_enter(callsite, in);

	if (aside)
		region_of(aside)->reductions = data[0];
	return aside;
}

/* The caller runs the program's function itself, between two calls: the aside outlives one. */
static void *start_back(struct aside *aside, void *returned)
{
	aside->stack = NULL;
	member_begin(region_of((struct omp_aside *)aside), worker_self());
	return returned;
}

static struct omp_aside *start_enter(const struct callsite *callsite, uintptr_t in[6])
{
	struct omp_aside *aside = region_enter(callsite, in);

	if (gomp_of(callsite)->head.other)
		return NULL;
	opened.recorded = opened.recorded << 1 | (aside != NULL);
	if (aside) {
		aside->head.back = start_back;
		region_of(aside)->outer = opened.innermost;
		opened.innermost = aside;
	}
	return aside;
}

#define REGION(result, name, parameters, enter)                                                    \
	ASIDE_WRAPPER(name);                                                                       \
	ASIDE_ENTER(name)                                                                          \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, gomp, name, in[0]);                \
                                                                                                   \
		return (struct aside_entered){ (const void *)(uintptr_t)gomp_of(callsite)->name,   \
					       (struct aside *)enter(callsite, in) };              \
	}
GOMP_REGIONS(REGION)

void GOMP_parallel_end(void)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_parallel_end, NULL);
	struct omp_aside *aside = NULL;

	if (!gomp_of(callsite)->head.other) {
		aside = opened.recorded & 1 ? opened.innermost : NULL;
		opened.recorded >>= 1;
	}
	if (!aside) {
		gomp_of(callsite)->GOMP_parallel_end();
		return;
	}
	opened.innermost = region_of(aside)->outer;
	record_end(worker_self(), region_of(aside)->stay.task);
	gomp_of(callsite)->GOMP_parallel_end();
	region_close(aside);
	gomp_thread.group = 0;
}

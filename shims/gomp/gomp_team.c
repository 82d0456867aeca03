/* SPDX-License-Identifier: MIT */
/*
 * gomp_team.c - parallel regions: the team is forked, its implicit tasks begin and end, and the
 * region's end joins them.
 *
 * The data of a region lives until it ends, so ours is on the stack of the call.  A region that
 * old code opens and closes with two calls (GCC up to 4.8) lives in the worker instead.
 */
#include "shims/gomp/gomp.h"

#include "preload/poison.h"

GOMP_IN_TEAM(CALL_WRAPPER)

#define OPEN_REGIONS 32 /* of old code, nested in one thread */

struct region {
	uint64_t reductions; /* GOMP_parallel_reductions reads the program's first word here */
	gomp_fn fn;
	void *data;
	struct gomp *gomp;
	struct stay stay; /* of the forking task; no worker: there is none */
	record_id group;
};

_Static_assert(sizeof(struct region[OPEN_REGIONS]) <= sizeof(((struct gomp_room *)0)->regions),
	       "lie in the thread's room");
static __thread uint32_t n_open __attribute__((tls_model("initial-exec")));

static void region_open(struct region *region, const struct callsite *callsite,
			struct worker *worker, gomp_fn fn, void *data)
{
	region->fn = fn;
	region->data = data;
	region->gomp = gomp_of(callsite);
	region->group = record_fork(worker, callsite->site, WIRE_FORK_TEAM);
	region->stay = stay_keep(worker);
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

static void region_close(struct region *region)
{
	stay_resume(&region->stay);
}

/* libomp: callbacks tell of the region.  Whether this call is its. */
static inline bool region_other(const struct callsite *callsite, struct worker *worker)
{
	if (__builtin_expect(!gomp_of(callsite)->head.other, 1))
		return false;
	if (worker)
		ompt_take_note(worker, OMPT_NOTE_FORK, callsite->site);
	return true;
}

#define REGION(name, parameters, ...)                                                              \
	void name parameters                                                                       \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(gomp, name, fn);                              \
		struct worker *worker = gomp_worker(callsite);                                     \
		struct region region = { 0 };                                                      \
                                                                                                   \
		if (region_other(callsite, worker) || !worker) {                                   \
			gomp_of(callsite)->name(fn, data, __VA_ARGS__);                            \
			return;                                                                    \
		}                                                                                  \
		region_open(&region, callsite, worker, fn, data);                                  \
		gomp_of(callsite)->name(region_run, &region, __VA_ARGS__);                         \
		region_close(&region);                                                             \
	}
#define LOOP(name)                                                                                 \
	REGION(name, (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags),         \
	       n_threads, start, end, incr, chunk, flags)
#define LOOP_RUNTIME(name)                                                                         \
	REGION(name, (GOMP_FN, unsigned n_threads, GOMP_LOOP, unsigned flags), n_threads, start,   \
	       end, incr, flags)

REGION(GOMP_parallel, (GOMP_FN, unsigned n_threads, unsigned flags), n_threads, flags)
REGION(GOMP_parallel_sections, (GOMP_FN, unsigned n_threads, unsigned count, unsigned flags),
       n_threads, count, flags)
REGION(GOMP_teams_reg, (GOMP_FN, unsigned n_teams, unsigned thread_limit, unsigned flags), n_teams,
       thread_limit, flags)
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

unsigned GOMP_parallel_reductions(gomp_fn fn, void *data, unsigned n_threads, unsigned flags)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_parallel_reductions, fn);
	struct worker *worker = gomp_worker(callsite);
	struct region region = { 0 };
	unsigned team_size;

	if (region_other(callsite, worker) || !worker)
		return gomp_of(callsite)->GOMP_parallel_reductions(fn, data, n_threads, flags);
	region.reductions = *(uint64_t *)data;
	region_open(&region, callsite, worker, fn, data);
	team_size =
		gomp_of(callsite)->GOMP_parallel_reductions(region_run, &region, n_threads, flags);
	region_close(&region);
	return team_size;
}

/* Where this region of old code is kept; NULL if too many are open, or nothing is recorded. */
static struct region *open_region(uint32_t n)
{
	struct omp_room *room = n < OPEN_REGIONS ? omp_room() : NULL;

	return room ? (struct region *)gomp_room(room)->regions + n : NULL;
}

/* The caller runs the program's function itself, between the two calls. */
#define REGION_START(name, parameters, ...)                                                        \
	void name parameters                                                                       \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(gomp, name, fn);                              \
		struct worker *worker = gomp_worker(callsite);                                     \
		struct region *region = NULL;                                                      \
                                                                                                   \
		if (!region_other(callsite, worker))                                               \
			region = open_region(n_open++);                                            \
		if (region)                                                                        \
			region->stay.worker = NULL;                                                \
		if (!worker || !region) {                                                          \
			gomp_of(callsite)->name(fn, data, __VA_ARGS__);                            \
			return;                                                                    \
		}                                                                                  \
		region_open(region, callsite, worker, fn, data);                                   \
		gomp_of(callsite)->name(region_run, region, __VA_ARGS__);                          \
		member_begin(region, worker);                                                      \
	}
#define LOOP_START(name)                                                                           \
	REGION_START(name, (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk), n_threads, start, \
		     end, incr, chunk)

REGION_START(GOMP_parallel_start, (GOMP_FN, unsigned n_threads), n_threads)
REGION_START(GOMP_parallel_sections_start, (GOMP_FN, unsigned n_threads, unsigned count), n_threads,
	     count)
LOOP_START(GOMP_parallel_loop_static_start)
LOOP_START(GOMP_parallel_loop_dynamic_start)
LOOP_START(GOMP_parallel_loop_guided_start)
REGION_START(GOMP_parallel_loop_runtime_start, (GOMP_FN, unsigned n_threads, GOMP_LOOP), n_threads,
	     start, end, incr)

void GOMP_parallel_end(void)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_parallel_end, NULL);
	struct region *region = NULL;

	if (!gomp_of(callsite)->head.other && n_open)
		region = open_region(--n_open);
	if (!region || !region->stay.worker) {
		gomp_of(callsite)->GOMP_parallel_end();
		return;
	}
	record_end(worker_self(), region->stay.task);
	gomp_of(callsite)->GOMP_parallel_end();
	region_close(region);
	gomp_thread.group = 0;
}

/* SPDX-License-Identifier: MIT */
/* lane.c - starts the threads of a drain, and has them work together. */
#include "collector/drain/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "collector/collapse/collapse.h"
#include "collector/drain/drain.h"
#include "collector/session/clock.h"
#include "collector/session/futex.h"

#define AGAIN_NS 1000000000u /* memory and threads may be there again */
#define LOOK_NS 1000000000u  /* who waits looks so often itself, whoever wakes it */

/* ---- a lane ---- */

static void lane_free(struct lane *lane)
{
	if (!lane)
		return;
	encoder_free(lane->encoder);
	collapse_free(lane->collapse);
	pending_free_spare(&lane->spare);
	free(lane);
}

static struct lane *lane_new(struct drain *drain, uint32_t index, bool collapses)
{
	struct lane *lane = malloc(sizeof(*lane));

	if (!lane)
		return NULL;
	*lane = (struct lane){ .drain = drain,
			       .index = index,
			       .encoder = encoder_new(),
			       .collapse = collapses ? collapse_new() : NULL,
			       .spare.most = drain->lanes.pending_slots,
			       .spare.room = drain->lanes.pending_slots };
	if (lane->encoder && (lane->collapse || !collapses))
		return lane;
	lane_free(lane);
	return NULL;
}

int lanes_open(struct drain *drain, uint32_t pending_slots, bool collapses)
{
	struct lanes *lanes = &drain->lanes;

	lanes->pending_slots = pending_slots;
	lanes->n_most = 1;
	lanes->at[0] = lane_new(drain, 0, collapses);
	lanes->n = lanes->at[0] ? 1 : 0;
	return lanes->n ? 0 : -ENOMEM;
}

void lanes_use(struct lanes *lanes, const struct lane_threads *threads, uint32_t n_most)
{
	lanes->threads = *threads;
	lanes->n_most = n_most < 1 ? 1 : n_most < LANES_MAX ? n_most : LANES_MAX;
}

/* ---- the threads ---- */

uint64_t lane_cpu_ns(void)
{
	uint64_t ns = 0;

	clock_cpu_ns(0, &ns);
	return ns;
}

static void *lane_thread(void *arg)
{
	struct lane *lane = arg;
	struct lanes *lanes = &lane->drain->lanes;
	uint64_t begin_ns;

	/* users of `top` see whose thread it is */
	prctl(PR_SET_NAME, "tptrace");
	for (;;) {
		while (atomic_load(&lanes->turn) == lane->turn)
			futex_wait(&lanes->turn, lane->turn, LOOK_NS);
		lane->turn++;
		if (atomic_load(&lanes->ending))
			return NULL;
		begin_ns = lane_cpu_ns();
		lanes->work(lane, lanes->arg);
		lane->cpu_ns += lane_cpu_ns() - begin_ns;
		if (atomic_fetch_sub(&lanes->busy, 1) == 1)
			futex_wake(&lanes->busy);
	}
}

static bool start_one(struct drain *drain)
{
	struct lanes *lanes = &drain->lanes;
	struct lane *lane = lane_new(drain, lanes->n, lanes->at[0]->collapse != NULL);

	if (!lane)
		return false;
	/* it begins with the next work, not with what has just been done */
	lane->turn = atomic_load(&lanes->turn);
	if (lanes->threads.start(&lane->thread, lane_thread, lane)) {
		lane_free(lane);
		return false;
	}
	lanes->at[lanes->n++] = lane;
	return true;
}

void lanes_grow(struct drain *drain, uint32_t n_workers, uint32_t wished)
{
	struct lanes *lanes = &drain->lanes;
	uint32_t n = wished ? wished : (n_workers + LANE_WORKERS - 1) / LANE_WORKERS;

	if (n > lanes->n_most)
		n = lanes->n_most;
	/* never fewer: a thread that has nothing to do sleeps, and ending it takes time */
	if (n <= lanes->n ||
	    (lanes->failed_ns && clock_monotonic_ns() - lanes->failed_ns < AGAIN_NS))
		return;
	while (lanes->n < n && start_one(drain))
		;
	lanes->failed_ns = lanes->n < n ? clock_monotonic_ns() : 0;
}

void lanes_done(struct lanes *lanes)
{
	if (atomic_load(&lanes->first))
		atomic_fetch_sub(&lanes->first, 1);
}

void lanes_run(struct lanes *lanes, lane_work *work, const void *arg, bool apart)
{
	uint32_t busy;

	if (!apart || lanes->n == 1) {
		for (uint32_t i = 0; i < lanes->n; i++)
			work(lanes->at[i], arg);
		return;
	}
	lanes->work = work;
	lanes->arg = arg;
	/* all of it before `turn`, which lets the threads go */
	atomic_store(&lanes->first, lanes->n);
	atomic_store(&lanes->busy, lanes->n - 1);
	atomic_fetch_add(&lanes->turn, 1);
	futex_wake(&lanes->turn);
	work(lanes->at[0], arg);
	while ((busy = atomic_load(&lanes->busy)))
		futex_wait(&lanes->busy, busy, LOOK_NS);
}

void lanes_lock(struct lanes *lanes)
{
	futex_lock(&lanes->lock);
}

void lanes_unlock(struct lanes *lanes)
{
	futex_unlock(&lanes->lock);
}

void lanes_share(struct lanes *lanes, uint32_t n_workers)
{
	uint32_t room = n_workers ? PENDING_SLOTS_ALL / n_workers : lanes->pending_slots;

	if (room < PENDING_SLOTS_SHARED)
		room = PENDING_SLOTS_SHARED;
	for (uint32_t i = 0; i < lanes->n; i++) {
		struct lane *lane = lanes->at[i];

		lane->spare.room = room < lane->spare.most ? room : lane->spare.most;
	}
}

uint64_t lanes_tasks(const struct lanes *lanes)
{
	uint64_t n_tasks = 0;

	for (uint32_t i = 0; i < lanes->n; i++)
		n_tasks += lanes->at[i]->n_tasks;
	return n_tasks;
}

void lanes_close(struct lanes *lanes)
{
	atomic_store(&lanes->ending, true);
	atomic_fetch_add(&lanes->turn, 1);
	futex_wake(&lanes->turn);
	for (uint32_t i = 1; i < lanes->n; i++)
		lanes->threads.join(lanes->at[i]->thread, NULL);
	for (uint32_t i = 0; i < lanes->n; i++)
		lane_free(lanes->at[i]);
	lanes->n = 0;
}

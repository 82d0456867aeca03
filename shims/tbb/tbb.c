/* SPDX-License-Identifier: MIT */
/* tbb.c - what is to be known of an instance of oneTBB, and of who calls it. */
#include "shims/tbb/nodes/tbb_flow.h"
#include "shims/tbb/tbb_vtable.h"

#include <pthread.h>

#include "preload/poison.h"

#define CALLBACK_FIRST 12070 /* suspend() calls back before it switches stacks, from 2021.7 on */
#define MAX_PARALLELISM 0    /* global_control::max_allowed_parallelism */

__thread struct tbb *tbb_here;

uint32_t tbb_forks;

static void forked_child(void)
{
	tbb_forks++;
	tbb_here = NULL;
	vtable_forget();
	flow_forget();
}

static void tbb_identify(void *instance, void *handle)
{
	static _Atomic bool fork_watched;
	struct tbb *tbb = instance;

	tbb->head.runtime = record_runtime("oneTBB", tbb->version ? tbb->version() : "");
	tbb->callback_first = tbb->interface_version && tbb->interface_version() >= CALLBACK_FIRST;
	tbb->tokens = UINT32_MAX; /* more than workers ever are */
	tbb->text = segment_of((uintptr_t)tbb->wait);
	if (!atomic_exchange(&fork_watched, true))
		pthread_atfork(NULL, NULL, forked_child);
}

void tbb_count(struct tbb *tbb, const void *arena)
{
	size_t n_workers, most;

	atomic_store_explicit(&tbb->counted, true, memory_order_relaxed);
	if (!record_on() || !tbb->max_concurrency || !tbb->control_value)
		return;
	n_workers = (size_t)tbb->max_concurrency(arena);
	most = tbb->control_value(MAX_PARALLELISM);
	record_runtime_workers(tbb->head.runtime, (uint32_t)(n_workers < most ? n_workers : most));
}

static void *tbb_at_hand(const struct callsite_runtime *runtime)
{
	return tbb_here;
}

CALL_RUNTIME(tbb, TBB_FUNCTIONS(TBB_DOOR), TBB_FUNCTIONS(TBB_SYMBOL) TBB_ASKED(TBB_SYMBOL),
	     .probe = TBB_PROBE, .library = "libtbb.so.12", .identify = tbb_identify,
	     .at_hand = tbb_at_hand, .site = vtable_site);

bool caller_root(struct worker *worker)
{
	record_root(worker);
	return tbb_here != NULL;
}

/* All but what nearly every return is. */
static __attribute__((noinline)) void leave_else(struct caller caller)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	stay_resume_from(worker, worker->index == caller.left ? worker : NULL, caller.task);
	if (caller.passing)
		record_end(worker, 0);
}

/* Hot path */
static inline void leave(struct caller caller)
{
	struct worker *worker = worker_self();

	if (!caller.task || caller.forks != tbb_forks)
		return;
	if (__builtin_expect(worker && worker_state(worker) >= WORKER_OUTSIDE &&
				     worker->index == caller.left && !caller.passing,
			     1))
		record_resume(worker, caller.task);
	else
		leave_else(caller);
}

void caller_leave(struct caller *caller)
{
	leave(*caller);
}

struct pool tbb_aside_pool = { .record_bytes = sizeof(struct tbb_aside) };

void *caller_back(struct aside *head, void *returned)
{
	struct tbb_aside *aside = (struct tbb_aside *)head;
	struct caller caller = aside->caller;

	tbb_aside_close(worker_self(), aside);
	if (tbb_here)
		tbb_counted(tbb_here);
	leave(caller);
	return returned;
}

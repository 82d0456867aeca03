/* SPDX-License-Identifier: MIT */
/*
 * policy.c - the table of policies.
 *
 * libgomp: task.c, GOMP_task() throttles at 64 tasks a thread, GOMP_taskwait() takes up children
 * alone, the newest first, gomp_barrier_handle_tasks() the oldest of all.  libomp: kmp_tasking.cpp,
 * TASK_DEQUE_SIZE 256, __kmp_steal_task(), last victim first, __kmp_task_is_allowed().
 */
#include "tools/model/policy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/dag/dag.h"

#define GOMP_TASKS_A_THREAD 64u
#define KMP_DEQUE_TASKS 256u

const struct policy policies[] = {
	{ .name = "greedy" },
	{ .name = "critical-path", .queue = QUEUE_CRITICAL },
	{ .name = "work-first", .queue = QUEUE_DEQUES, .child_first = true },
	{ .name = "help-first", .queue = QUEUE_DEQUES, .tied = true },
	{ .name = "held", .queue = QUEUE_DEQUES, .held = true },
	{ .name = "shepherds", .queue = QUEUE_DEQUES },
	{ .name = "in-turn", .queue = QUEUE_DEQUES, .in_turn = true, .main_stays = true },
	{ .name = "libgomp", .bar = BAR_CHILDREN, .tied = true, .throttle = GOMP_TASKS_A_THREAD },
	{ .name = "libomp",
	  .queue = QUEUE_DEQUES,
	  .bar = BAR_DESCENDANTS,
	  .victim = VICTIM_LAST,
	  .tied = true,
	  .room = KMP_DEQUE_TASKS },
	{ .name = "starpu", .apart = true, .main_stays = true },
	{ .name = NULL },
};

const struct policy *policy_find(const char *name)
{
	for (const struct policy *policy = policies; policy->name; policy++)
		if (strcmp(policy->name, name) == 0)
			return policy;
	return NULL;
}

/* Whether most tasks began on the worker after that of the task that their worker created before.
 * With one worker, without tasks and without memory nothing speaks against it. */
static bool hands_out_in_turn(const struct dag *dag)
{
	uint16_t *child =
		xcalloc(dag->n_strands + 1ull, sizeof(*child)); /* worker + 1, by creation */
	uint32_t *last = xcalloc(dag->n_slots + 1ull, sizeof(*last));
	uint64_t n = 0, n_next = 0;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (dag->how[s] & STRAND_FIRST && dag->strand[s].pred != STRAND_NONE)
			child[dag->strand[s].pred] = (uint16_t)(dag->strand[s].worker + 1);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint32_t *before = &last[dag->strand[s].worker];

		if (!child[s])
			continue;
		n += *before != 0;
		n_next += *before && *before % dag->n_workers == child[s] - 1u;
		*before = child[s];
	}
	free(child);
	free(last);
	return n_next * 10 >= n * 9;
}

static const char *of_qthreads(const struct dag *dag)
{
	return hands_out_in_turn(dag) ? "in-turn" : "shepherds";
}

const struct policy *policy_of_run(const char *runtime, const struct dag *dag)
{
	static const char *const of[][2] = {
		{ "libgomp", "libgomp" },	{ "libomp", "libomp" },
		{ "oneTBB", "help-first" },	{ "MassiveThreads", "work-first" },
		{ "libcilkrts", "work-first" }, { "OpenCilk", "work-first" },
		{ "StarPU", "starpu" },
	};

	if (runtime && strcmp(runtime, "Qthreads") == 0)
		return policy_find(of_qthreads(dag));

	for (size_t i = 0; runtime && i < sizeof(of) / sizeof(of[0]); i++)
		if (strcmp(of[i][0], runtime) == 0)
			return policy_find(of[i][1]);
	return policy_find("greedy");
}

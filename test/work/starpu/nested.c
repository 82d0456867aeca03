/* SPDX-License-Identifier: MIT */
/* Tasks that submit tasks. */
#include "common.h"

static long n_leaves, n_all;

static void tree(void *buffers[], void *arg);
static struct starpu_codelet cl = { .cpu_funcs = { tree }, .name = "tree" };

static void submit(intptr_t depth)
{
	MUST(starpu_task_submit(task_of(&cl, depth)));
}

static void tree(void *buffers[], void *arg)
{
	intptr_t depth = (intptr_t)arg;

	__atomic_fetch_add(&n_all, 1, __ATOMIC_RELAXED);
	if (depth == 0) {
		__atomic_fetch_add(&n_leaves, 1, __ATOMIC_RELAXED);
		return;
	}
	submit(depth - 1);
	submit(depth - 1);
}

int main(void)
{
	begin();
	submit(9);
	starpu_task_wait_for_all();
	printf("%ld %ld\n", n_leaves, n_all);
	finish(1023);
	return 0;
}

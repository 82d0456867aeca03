/* SPDX-License-Identifier: MIT */
/* A task that is over when others are, too. */
#include "common.h"

static long n_parts, seen;

static void part(void *buffers[], void *arg)
{
	spin(200000);
	__atomic_fetch_add(&n_parts, 1, __ATOMIC_SEQ_CST);
}
static struct starpu_codelet part_cl = { .cpu_funcs = { part }, .name = "part" };

static void whole(void *buffers[], void *arg)
{
}
static struct starpu_codelet whole_cl = { .cpu_funcs = { whole }, .name = "whole" };

static void after(void *buffers[], void *arg)
{
	seen += __atomic_load_n(&n_parts, __ATOMIC_SEQ_CST);
}
static struct starpu_codelet after_cl = { .cpu_funcs = { after }, .name = "after" };

static long n_called;
static void called(void *arg)
{
	n_called++;
}

int main(void)
{
	begin();
	for (int i = 0; i < 5; i++) {
		struct starpu_task *a = task_of(&whole_cl, 0), *b = task_of(&part_cl, 0);
		struct starpu_task *c = task_of(&after_cl, 0);

		a->callback_func = called;
		starpu_task_declare_end_deps_array(a, 1, &b);
		starpu_task_declare_deps_array(c, 1, &a);
		MUST(starpu_task_submit(c));
		MUST(starpu_task_submit(b));
		MUST(starpu_task_submit(a));
		starpu_task_wait_for_all();
	}
	for (int i = 0; i < 3; i++) { /* ended by the program */
		struct starpu_task *a = task_of(&whole_cl, 0);

		a->detach = 0;
		starpu_task_end_dep_add(a, 1);
		MUST(starpu_task_submit(a));
		spin(100000);
		starpu_task_end_dep_release(a);
		MUST(starpu_task_wait(a));
	}
	printf("%ld %ld\n", seen, n_called);
	finish(5 * 4 + 3);
	return 0;
}

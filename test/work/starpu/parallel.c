/* SPDX-License-Identifier: MIT */
/* Parallel tasks on several workers: one body on all of them, or one that has them all. */
// env: STARPU_SCHED=peager STARPU_SINGLE_COMBINED_WORKER=1 STARPU_NCPU=4
#include "common.h"

static long n_ranks, n_forks;
static int size_seen;

static void spmd(void *buffers[], void *arg)
{
	spin(200000);
	__atomic_fetch_add(&n_ranks, 1, __ATOMIC_RELAXED);
	if (starpu_combined_worker_get_rank() == 0)
		size_seen += starpu_combined_worker_get_size();
}
static struct starpu_codelet spmd_cl = {
	.cpu_funcs = { spmd }, .type = STARPU_SPMD, .max_parallelism = 64, .name = "spmd"
};

static void fork_join(void *buffers[], void *arg)
{
	spin(200000);
	__atomic_fetch_add(&n_forks, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet fork_cl = {
	.cpu_funcs = { fork_join }, .type = STARPU_FORKJOIN, .max_parallelism = 64, .name = "fork"
};

int main(void)
{
	begin();
	for (int i = 0; i < 6; i++) {
		MUST(starpu_task_insert(&spmd_cl, 0));
		MUST(starpu_task_insert(&fork_cl, 0));
	}
	starpu_task_wait_for_all();
	printf("%d %ld\n", n_ranks == size_seen && n_ranks >= 6, n_forks);
	/* A further rank of an spmd task counts as a task; how many there are is not printed. */
	starpu_shutdown();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Data that is partitioned: at once, and by tasks of StarPU's own. */
#include "common.h"

#define N 64
#define PARTS 4

static void scale(void *buffers[], void *arg)
{
	long *x = (long *)STARPU_VECTOR_GET_PTR(buffers[0]);
	unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);

	(void)arg;
	for (unsigned i = 0; i < n; i++)
		x[i] = x[i] * 3 + 1;
}
static struct starpu_codelet scale_cl = {
	.cpu_funcs = { scale }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "scale"
};

int main(void)
{
	long x[N], total = 0;
	starpu_data_handle_t handle, child[PARTS];
	struct starpu_data_filter filter = { .filter_func = starpu_vector_filter_block,
					     .nchildren = PARTS };

	begin();
	for (int i = 0; i < N; i++)
		x[i] = i;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)x, N, sizeof(x[0]));
	MUST(starpu_task_insert(&scale_cl, STARPU_RW, handle, 0));
	starpu_task_wait_for_all();
	starpu_data_partition(handle, &filter);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < PARTS; i++)
			MUST(starpu_task_insert(&scale_cl, STARPU_RW,
						starpu_data_get_sub_data(handle, 1, i), 0));
	starpu_data_unpartition(handle, STARPU_MAIN_RAM);
	MUST(starpu_task_insert(&scale_cl, STARPU_RW, handle, 0));

	starpu_data_partition_plan(handle, &filter, child);
	for (int round = 0; round < 3; round++) {
		starpu_data_partition_submit(handle, PARTS, child);
		for (int i = 0; i < PARTS; i++)
			MUST(starpu_task_insert(&scale_cl, STARPU_RW, child[i], 0));
		starpu_data_unpartition_submit(handle, PARTS, child, STARPU_MAIN_RAM);
		MUST(starpu_task_insert(&scale_cl, STARPU_RW, handle, 0));
	}
	for (int round = 0; round < 3; round++) { /* left to StarPU */
		for (int i = 0; i < PARTS; i++)
			MUST(starpu_task_insert(&scale_cl, STARPU_RW, child[i], 0));
		MUST(starpu_task_insert(&scale_cl, STARPU_RW, handle, 0));
	}
	starpu_data_partition_clean(handle, PARTS, child);
	starpu_data_unregister(handle);
	for (int i = 0; i < N; i++)
		total += x[i] % 1000003;
	printf("%ld\n", total);
	starpu_shutdown();
	return 0;
}

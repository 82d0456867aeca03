/* SPDX-License-Identifier: MIT */
/* Tasks that are waited for where they are submitted. */
#include "common.h"

int main(void)
{
	long x = 0;
	starpu_data_handle_t handle = begin_with(&x);

	for (int i = 0; i < 10; i++) {
		struct starpu_task *task = task_of(&add_cl, 1);

		insert(&add_cl, handle, 100);
		task->handles[0] = handle;
		task->synchronous = 1;
		MUST(starpu_task_submit(task));
		if (x != (i + 1) * 101)
			printf("not yet: %ld\n", x);
	}
	MUST(starpu_task_insert(&add_cl, STARPU_RW, handle, STARPU_CL_ARGS_NFREE,
				(void *)(intptr_t)5, sizeof(long), STARPU_TASK_SYNCHRONOUS, 1, 0));
	printf("%ld\n", x);
	starpu_data_unregister(handle);
	finish(21);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Submission that StarPU holds up, and thousands of small tasks. */
// env: STARPU_LIMIT_MAX_SUBMITTED_TASKS=100 STARPU_LIMIT_MIN_SUBMITTED_TASKS=50
#include "common.h"

int main(void)
{
	long x[16] = { 0 }, total = 0;
	starpu_data_handle_t handle[16];

	begin();
	for (int i = 0; i < 16; i++)
		handle[i] = number(&x[i]);
	for (int i = 0; i < 3000; i++)
		MUST(starpu_task_insert(&add_cl, STARPU_RW, handle[i % 16], STARPU_PRIORITY,
					i % 3 - 1, STARPU_CL_ARGS_NFREE, (void *)1, sizeof(long),
					0));
	for (int i = 0; i < 16; i++) {
		starpu_data_unregister(handle[i]);
		total += x[i];
	}
	printf("%ld\n", total);
	finish(3000);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Tasks that StarPU makes for a call: copies of data, a task that only joins tags. */
#include "common.h"

static long n_called;
static void called(void *arg)
{
	n_called += *(long *)arg;
}

int main(void)
{
	long x = 0, y = 0, ten = 10;
	starpu_data_handle_t hx, hy;
	starpu_tag_t tags[2] = { 1, 2 };

	begin();
	hx = number(&x);
	hy = number(&y);
	for (int i = 0; i < 4; i++) {
		insert(&add_cl, hx, 1);
		MUST(starpu_data_cpy(hy, hx, 1, NULL, NULL));
		insert(&add_cl, hy, 1);
	}
	MUST(starpu_data_cpy(hx, hy, 0, NULL, NULL));
	for (int i = 0; i < 2; i++)
		MUST(starpu_task_insert(&add_cl, STARPU_RW, hx, STARPU_TAG, tags[i], 0));
	starpu_create_sync_task(3, 2, tags, called, &ten);
	starpu_tag_wait(3);
	starpu_task_wait_for_all();
	starpu_data_unregister(hx);
	starpu_data_unregister(hy);
	printf("%ld %ld %ld\n", x, y, n_called);
	starpu_shutdown();
	return 0;
}

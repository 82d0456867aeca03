/* SPDX-License-Identifier: MIT */
/* Tasks that run nowhere: without a codelet, or with one for nowhere; and their callbacks. */
#include "common.h"

static long n_called;

static struct starpu_codelet nowhere_cl = {
	.where = STARPU_NOWHERE, .nbuffers = 1, .modes = { STARPU_RW }, .name = "nowhere"
};

static void called(void *arg)
{
	n_called += __atomic_load_n(&n_run, __ATOMIC_SEQ_CST);
	MUST(starpu_task_submit(task_of(&run_cl, 1)));
}

int main(void)
{
	struct starpu_task *join, *task[8];
	long x = 0;
	starpu_data_handle_t handle;

	begin();
	handle = number(&x);
	join = starpu_task_create();
	join->cl = NULL;
	join->detach = 0;
	join->destroy = 0;
	join->callback_func = called;
	for (int i = 0; i < 8; i++)
		task[i] = task_of(&run_cl, 1);
	starpu_task_declare_deps_array(join, 8, task);
	for (int i = 0; i < 8; i++)
		MUST(starpu_task_submit(task[i]));
	MUST(starpu_task_submit(join));
	MUST(starpu_task_wait(join));
	starpu_task_destroy(join);
	printf("%ld\n", n_called);
	starpu_task_wait_for_all();
	join = starpu_task_create(); /* over at once: its callback is called in starpu_task_submit()
				      */
	join->cl = NULL;
	join->callback_func = called;
	MUST(starpu_task_submit(join));
	for (int i = 0; i < 4; i++) {
		insert(&add_cl, handle, 1);
		MUST(starpu_task_insert(&nowhere_cl, STARPU_RW, handle, 0));
	}
	join = starpu_task_create();
	join->cl = NULL;
	join->synchronous = 1;
	MUST(starpu_task_submit(join));
	starpu_data_unregister(handle);
	starpu_task_wait_for_all();
	printf("%ld %ld %ld\n", x, n_run, n_called);
	/* run, its 2 in callbacks, add; 3 + 4 empty ones; 2 callbacks */
	finish(8 + 2 + 4 + 3 + 4 + 2);
	return 0;
}

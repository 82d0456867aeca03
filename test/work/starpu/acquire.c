/* SPDX-License-Identifier: MIT */
/* Data that the program holds: tasks come before, meanwhile, and after. */
#include "common.h"

#include <unistd.h>

static long seen;
static void look(void *buffers[], void *arg)
{
	__atomic_fetch_add(&seen, *number_of(buffers[0]), __ATOMIC_RELAXED);
}
static struct starpu_codelet look_cl = ON_NUMBER(look, STARPU_R, "look");

static long from_callback;
static void got_it(void *arg)
{
	starpu_data_handle_t handle = arg;

	from_callback = *(long *)starpu_variable_get_local_ptr(handle);
	starpu_data_release(handle);
}

int main(void)
{
	long x = 0;
	starpu_data_handle_t handle = begin_with(&x);

	for (int i = 0; i < 5; i++) {
		insert(&add_cl, handle, 1);
		insert(&add_cl, handle, 1);
		MUST(starpu_data_acquire(handle, STARPU_RW));
		x += 100;
		insert(&look_cl, handle, 0); /* after the release */
		insert(&add_cl, handle, 1);
		usleep(1000);
		x += 100;
		starpu_data_release(handle);
		insert(&look_cl, handle, 0);
		MUST(starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R));
		printf("%ld\n", x);
		insert(&look_cl, handle, 0); /* reads as well */
		starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
	}
	MUST(starpu_data_acquire_cb(handle, STARPU_R, got_it, handle));
	starpu_task_wait_for_all();
	if (starpu_data_acquire_try(handle, STARPU_R) == 0)
		starpu_data_release(handle);
	starpu_data_unregister(handle);
	printf("%ld %ld %ld\n", x, seen, from_callback);
	finish(5 * 6);
	return 0;
}

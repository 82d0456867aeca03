/* SPDX-License-Identifier: MIT */
// part-of: plugin.c
#include "common.h"

long plugin_run(int n);
long plugin_run(int n)
{
	long x = 0;
	starpu_data_handle_t handle;

	begin();
	handle = number(&x);
	for (int i = 0; i < n; i++)
		insert(&add_cl, handle, 1);
	starpu_data_unregister(handle);
	starpu_shutdown();
	return x;
}

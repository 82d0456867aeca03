/* SPDX-License-Identifier: MIT */
/* common.h - what the programs of this directory share. */
#pragma once

#if __has_include(<starpu.h>) /* else it only has to compile alone */
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void begin(void)
{
	if (starpu_init(NULL) != 0)
		exit(77);
}

static inline void finish(int n_tasks)
{
	starpu_shutdown();
	printf("tptrace-tasks %d\n", n_tasks);
}

static inline void must(int error, const char *what)
{
	if (error) {
		printf("%s: %d\n", what, error);
		exit(2);
	}
}
#define MUST(call) must(call, #call)

/* Some work that no compiler takes away. */
static inline long spin(int n)
{
	volatile long x = 0;

	for (int i = 0; i < n; i++)
		x += i;
	return x;
}

static inline long *number_of(void *buffer)
{
	return (long *)STARPU_VARIABLE_GET_PTR(buffer);
}

static inline starpu_data_handle_t number(long *variable)
{
	starpu_data_handle_t handle;

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)variable,
				      sizeof(*variable));
	return handle;
}
#endif

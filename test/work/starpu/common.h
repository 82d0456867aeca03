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

/* For a program of one. */
static inline starpu_data_handle_t begin_with(long *variable)
{
	begin();
	return number(variable);
}

/* A codelet for one number(). */
#define ON_NUMBER(fn, mode, label)                                                                 \
	{                                                                                          \
		.cpu_funcs = { fn }, .nbuffers = 1, .modes = { mode }, .name = label               \
	}

/* What most tasks do: the argument is added to a number, or to how many ran. */
static inline void add(void *buffers[], void *arg)
{
	spin(5000);
	*number_of(buffers[0]) += (long)(intptr_t)arg;
}

static long n_run;

static inline void run(void *buffers[], void *arg)
{
	(void)buffers;
	spin(20000);
	__atomic_fetch_add(&n_run, (long)(intptr_t)arg, __ATOMIC_SEQ_CST);
}

__attribute__((unused)) static struct starpu_codelet add_cl = ON_NUMBER(add, STARPU_RW, "add");
__attribute__((unused)) static struct starpu_codelet run_cl = { .cpu_funcs = { run },
								.name = "run" };

/* One with that argument, which is not yet submitted. */
static inline struct starpu_task *task_of(struct starpu_codelet *cl, long arg)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = cl;
	task->cl_arg = (void *)(intptr_t)arg;
	return task;
}

/* A task with that argument on the one handle that the codelet has. */
static inline void insert(struct starpu_codelet *cl, starpu_data_handle_t handle, long arg)
{
	must(starpu_task_insert(cl, cl->modes[0], handle, STARPU_CL_ARGS_NFREE,
				(void *)(intptr_t)arg, sizeof(arg), 0),
	     "starpu_task_insert");
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * starpu.h - port.h over StarPU: tasks of main(), and data that they read and write.
 *
 * A StarPU task may not wait for tasks, so that what recurses by itself is not for it.
 */
#pragma once

#include <stdlib.h>
#include <starpu.h>

#define PORT_DEPENDS 1
#define PORT_NESTS 0

struct port_task {
	starpu_data_handle_t handle; /* of `written`, once somebody needs it */
	struct port_task *next;
	char written;
};

struct port_group {
	struct port_task *known; /* those with a handle */
};

static inline starpu_data_handle_t port_handle(struct port_group *group, struct port_task *task)
{
	if (!task->handle) {
		starpu_variable_data_register(&task->handle, STARPU_MAIN_RAM,
					      (uintptr_t)&task->written, sizeof(task->written));
		task->next = group->known;
		group->known = task;
	}
	return task->handle;
}

static inline void port_submit(struct starpu_codelet *codelet, void *at,
			       starpu_data_handle_t *handle, int n_handles)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->cl_arg = at;
	for (int i = 0; i < n_handles; i++)
		task->handles[i] = handle[i];
	if (starpu_task_submit(task) != 0)
		exit(1);
}

static inline void port_close(struct port_group *group)
{
	for (struct port_task *task = group->known; task; task = task->next)
		starpu_data_unregister(task->handle);
}

#define PORT_BODY(body, type)                                                                      \
	static void body(type *at);                                                                \
	static void body##_starpu(void **buffers, void *at)                                        \
	{                                                                                          \
		(void)buffers;                                                                     \
		body((type *)at);                                                                  \
	}                                                                                          \
	__attribute__((unused)) static struct starpu_codelet body##_codelet = {                    \
		.cpu_funcs = { body##_starpu },                                                    \
		.name = #body,                                                                     \
	};                                                                                         \
	__attribute__((unused)) static struct starpu_codelet body##_after_codelet = {              \
		.cpu_funcs = { body##_starpu },                                                    \
		.nbuffers = 3,                                                                     \
		.modes = { STARPU_R, STARPU_R, STARPU_W },                                         \
		.name = #body,                                                                     \
	};
#define PORT_OPEN(group) struct port_group group = { NULL }
#define PORT_CREATE(group, body, at) port_submit(&body##_codelet, (at), NULL, 0)
#define PORT_CREATE_AFTER(group, body, at, a, b)                                                   \
	do {                                                                                       \
		starpu_data_handle_t port_handles[3] = {                                           \
			port_handle(&(group), &(a)->task),                                         \
			port_handle(&(group), &(b)->task),                                         \
			port_handle(&(group), &(at)->task),                                        \
		};                                                                                 \
		port_submit(&body##_after_codelet, (at), port_handles, 3);                         \
	} while (0)
#define PORT_WAIT(group) starpu_task_wait_for_all()
#define PORT_CLOSE(group) port_close(&(group))
#define PORT_RUN(call) call
#define PORT_HOLD(held) ((held) ? starpu_pause() : starpu_resume())

static inline void port_start(void)
{
	if (starpu_init(NULL) != 0)
		exit(1);
}

static inline void port_stop(void)
{
	starpu_shutdown();
}

static inline void port_counts(void)
{
}

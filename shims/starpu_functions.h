/* SPDX-License-Identifier: MIT */
/*
 * starpu_functions.h - StarPU's functions that are wrapped or asked, with their prototypes in 1.3.
 *
 * A task, a codelet, a handle are void * here.  What a version does not have is NULL in its copy.
 */
#pragma once

typedef void (*starpu_fn)(void *);

/* The driver's, with 5 arguments, or 6 in 1.2.0 to 1.2.2.  [driver_common.h] */
#define STARPU_JOB uintptr_t a, uintptr_t job, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f

/* Wrapped: STARPU_FUNCTION(result, name, parameters). */
#define STARPU_FUNCTIONS                                                                           \
	STARPU_FUNCTION(int, starpu_init, (void *conf))                                            \
	STARPU_FUNCTION(void, starpu_shutdown, (void))                                             \
	/* tasks */                                                                                \
	STARPU_FUNCTION(int, starpu_task_submit, (void *task))                                     \
	STARPU_FUNCTION(int, starpu_task_submit_nodeps, (void *task))                              \
	STARPU_FUNCTION(int, _starpu_task_submit_nodeps, (void *task))                             \
	STARPU_FUNCTION(int, _starpu_task_submit_conversion_task, (void *task, unsigned worker))   \
	STARPU_FUNCTION(void, _starpu_detect_implicit_data_deps, (void *task))                     \
	STARPU_FUNCTION(void, _starpu_driver_start_job, (STARPU_JOB))                              \
	STARPU_FUNCTION(void, _starpu_driver_end_job, (STARPU_JOB))                                \
	/* functions that submit a task for their caller */                                        \
	STARPU_FUNCTION(int, starpu_task_submit_to_ctx, (void *task, unsigned ctx))                \
	STARPU_FUNCTION(int, starpu_task_submit_line, (void *task, const char *file, int line))    \
	STARPU_FUNCTION(void, fstarpu_task_insert, (void **arguments))                             \
	STARPU_FUNCTION(void, fstarpu_insert_task, (void **arguments))                             \
	STARPU_FUNCTION(int, starpu_data_cpy,                                                      \
			(void *to, void *from, int asynchronous, starpu_fn callback, void *arg))   \
	STARPU_FUNCTION(void, starpu_create_sync_task,                                             \
			(uint64_t tag, unsigned n, uint64_t *tags, starpu_fn callback, void *arg)) \
	/* dependences that the program declares */                                                \
	STARPU_FUNCTION(void, starpu_task_declare_deps_array,                                      \
			(void *task, unsigned n, void **tasks))                                    \
	STARPU_FUNCTION(void, starpu_task_declare_end_deps_array,                                  \
			(void *task, unsigned n, void **tasks))                                    \
	STARPU_FUNCTION(void, starpu_task_end_dep_release, (void *task))                           \
	STARPU_FUNCTION(void, starpu_tag_declare_deps_array,                                       \
			(uint64_t tag, unsigned n, uint64_t *tags))                                \
	STARPU_FUNCTION(void, starpu_tag_notify_from_apps, (uint64_t tag))                         \
	STARPU_FUNCTION(void, starpu_tag_notify_restart_from_apps, (uint64_t tag))                 \
	/* waits */                                                                                \
	STARPU_FUNCTION(int, starpu_tag_wait, (uint64_t tag))                                      \
	STARPU_FUNCTION(int, starpu_tag_wait_array, (unsigned n, uint64_t *tags))                  \
	STARPU_FUNCTION(int, starpu_task_wait, (void *task))                                       \
	STARPU_FUNCTION(int, starpu_task_wait_array, (void **tasks, unsigned n))                   \
	STARPU_FUNCTION(int, starpu_task_wait_for_all, (void))                                     \
	STARPU_FUNCTION(int, starpu_task_wait_for_all_in_ctx, (unsigned ctx))                      \
	STARPU_FUNCTION(int, starpu_task_wait_for_n_submitted, (unsigned n))                       \
	STARPU_FUNCTION(int, starpu_task_wait_for_n_submitted_in_ctx, (unsigned ctx, unsigned n))  \
	STARPU_FUNCTION(int, starpu_task_wait_for_no_ready, (void))                                \
	STARPU_FUNCTION(int, starpu_data_acquire, (void *handle, int mode))                        \
	STARPU_FUNCTION(int, starpu_data_acquire_on_node, (void *handle, int node, int mode))      \
	STARPU_FUNCTION(void, starpu_data_release, (void *handle))                                 \
	STARPU_FUNCTION(void, starpu_data_release_on_node, (void *handle, int node))               \
	STARPU_FUNCTION(void, starpu_data_unregister, (void *handle))                              \
	STARPU_FUNCTION(void, starpu_data_unregister_no_coherency, (void *handle))

/* Wrapped by collecting their arguments, or by noting the call and going on: STARPU_VARIADIC(name). */
#define STARPU_VARIADICS                                                                           \
	STARPU_VARIADIC(starpu_tag_declare_deps)                                                   \
	STARPU_VARIADIC(starpu_task_insert)                                                        \
	STARPU_VARIADIC(starpu_insert_task)

/* Asked. */
#define STARPU_ASKED                                                                               \
	STARPU_FUNCTION(void, starpu_get_version, (int *major, int *minor, int *micro))            \
	STARPU_FUNCTION(unsigned, starpu_worker_get_count, (void))                                 \
	STARPU_FUNCTION(int, starpu_worker_get_id, (void))                                         \
	STARPU_FUNCTION(unsigned, starpu_sched_ctx_get_context, (void))                            \
	STARPU_FUNCTION(void, starpu_task_init, (void *task))                                      \
	STARPU_FUNCTION(void *, starpu_task_get_current, (void))                                   \
	STARPU_FUNCTION(const char *, starpu_task_get_name, (void *task))                          \
	STARPU_FUNCTION(unsigned, starpu_data_get_sequential_consistency_flag, (void *handle))     \
	STARPU_FUNCTION(void, fstarpu_codelet_set_nbuffers, (void *cl, int n))

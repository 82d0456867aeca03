/* SPDX-License-Identifier: MIT */
/*
 * starpu_functions.h - StarPU's functions that are wrapped or asked, with their prototypes in 1.3.
 *
 * A task, a codelet, a handle are void * here.  What a version lacks is NULL in its instance.
 */
#pragma once

typedef void (*starpu_fn)(void *);

/* The driver's, with 5 arguments, or 6 in 1.2.0 to 1.2.2.  [driver_common.h] */
#define STARPU_JOB uintptr_t a, uintptr_t job, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f

/* Wrapped. */
#define STARPU_IN_STARPU(F) F(int, starpu_init, (void *conf))

#define STARPU_IN_WAIT(F)                                                                          \
	F(void, starpu_shutdown, (void))                                                           \
	/* waits */                                                                                \
	F(int, starpu_tag_wait, (uint64_t tag))                                                    \
	F(int, starpu_tag_wait_array, (unsigned n, uint64_t *tags))                                \
	F(int, starpu_task_wait, (void *task))                                                     \
	F(int, starpu_task_wait_array, (void **tasks, unsigned n))                                 \
	F(int, starpu_task_wait_for_all, (void))                                                   \
	F(int, starpu_task_wait_for_all_in_ctx, (unsigned ctx))                                    \
	F(int, starpu_task_wait_for_n_submitted, (unsigned n))                                     \
	F(int, starpu_task_wait_for_n_submitted_in_ctx, (unsigned ctx, unsigned n))                \
	F(int, starpu_task_wait_for_no_ready, (void))

#define STARPU_IN_TASK(F)                                                                          \
	/* tasks */                                                                                \
	F(int, starpu_task_submit, (void *task))                                                   \
	F(int, starpu_task_submit_nodeps, (void *task))                                            \
	F(int, _starpu_task_submit_nodeps, (void *task))                                           \
	F(int, _starpu_task_submit_conversion_task, (void *task, unsigned worker))                 \
	F(void, _starpu_detect_implicit_data_deps, (void *task))                                   \
	F(void, _starpu_driver_start_job, (STARPU_JOB))                                            \
	F(void, _starpu_driver_end_job, (STARPU_JOB))

#define STARPU_IN_INSERT(F)                                                                        \
	/* functions that submit a task for their caller */                                        \
	F(int, starpu_task_submit_to_ctx, (void *task, unsigned ctx))                              \
	F(int, starpu_task_submit_line, (void *task, const char *file, int line))                  \
	F(void, fstarpu_task_insert, (void **arguments))                                           \
	F(void, fstarpu_insert_task, (void **arguments))                                           \
	F(int, starpu_data_cpy,                                                                    \
	  (void *to, void *from, int asynchronous, starpu_fn callback, void *arg))                 \
	F(void, starpu_create_sync_task,                                                           \
	  (uint64_t tag, unsigned n, uint64_t *tags, starpu_fn callback, void *arg))

#define STARPU_IN_DEPEND(F)                                                                        \
	/* dependences that the program declares */                                                \
	F(void, starpu_task_declare_deps_array, (void *task, unsigned n, void **tasks))            \
	F(void, starpu_task_declare_end_deps_array, (void *task, unsigned n, void **tasks))        \
	F(void, starpu_task_end_dep_release, (void *task))                                         \
	F(void, starpu_tag_declare_deps_array, (uint64_t tag, unsigned n, uint64_t *tags))         \
	F(void, starpu_tag_notify_from_apps, (uint64_t tag))                                       \
	F(void, starpu_tag_notify_restart_from_apps, (uint64_t tag))                               \
	F(int, starpu_data_acquire, (void *handle, int mode))                                      \
	F(int, starpu_data_acquire_on_node, (void *handle, int node, int mode))                    \
	F(void, starpu_data_release, (void *handle))                                               \
	F(void, starpu_data_release_on_node, (void *handle, int node))                             \
	F(void, starpu_data_release_to, (void *handle, int mode))                                  \
	F(void, starpu_data_release_to_on_node, (void *handle, int mode, int node))                \
	F(void, starpu_data_unregister, (void *handle))                                            \
	F(void, starpu_data_unregister_no_coherency, (void *handle))

#define STARPU_FUNCTIONS(F)                                                                        \
	STARPU_IN_STARPU(F)                                                                        \
	STARPU_IN_WAIT(F) STARPU_IN_TASK(F) STARPU_IN_INSERT(F) STARPU_IN_DEPEND(F)

/*
 * Variadic: wrapped by collecting their arguments, or by noting the call and going on.  C calls no
 * real one with these arguments; the pointers are to jump to.
 */
#define STARPU_VARIADICS(F)                                                                        \
	F(void, starpu_tag_declare_deps, (void))                                                   \
	F(void, starpu_task_insert, (void))                                                        \
	F(void, starpu_insert_task, (void))

/* Asked. */
#define STARPU_ASKED(F)                                                                            \
	F(void, starpu_get_version, (int *major, int *minor, int *micro))                          \
	F(unsigned, starpu_worker_get_count, (void))                                               \
	F(int, starpu_worker_get_id, (void))                                                       \
	F(unsigned, starpu_sched_ctx_get_context, (void))                                          \
	F(void, starpu_task_init, (void *task))                                                    \
	F(void *, starpu_task_get_current, (void))                                                 \
	F(const char *, starpu_task_get_name, (void *task))                                        \
	F(unsigned, starpu_data_get_sequential_consistency_flag, (void *handle))                   \
	F(void, fstarpu_codelet_set_nbuffers, (void *cl, int n))

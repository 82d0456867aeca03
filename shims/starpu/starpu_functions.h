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

/* clang-format off */
/* Waits for several things: how many there are, what each is, and the i-th one's name. */
#define STARPU_IN_WAIT(F) \
	F(void, starpu_shutdown, (void), WAITS_FOR_ALL, (), n_ctxs(s), BAG, bag(s, i)) \
	F(int, starpu_task_wait_for_all, (void), WAITS_FOR_ALL, (), n_ctxs(s), BAG, bag(s, i)) \
	F(int, starpu_task_wait_array, (void **tasks, unsigned n), \
	  WAITS_FOR_ALL, (tasks, n), n, NAMED, (uintptr_t)tasks[i]) \
	F(int, starpu_tag_wait_array, (unsigned n, uint64_t *tags), \
	  WAITS_FOR_ALL, (n, tags), n, NAMED, starpu_tag_name(tags[i]))

#define STARPU_IN_TASK(F) \
	F(int, starpu_task_submit, (void *task)) \
	F(void, _starpu_detect_implicit_data_deps, (void *task)) \
	F(void, _starpu_driver_start_job, (STARPU_JOB)) \
	F(void, _starpu_driver_end_job, (STARPU_JOB))

/* Tasks of StarPU's own that wait for nothing. */
#define STARPU_SUBMITS(F) \
	F(int, starpu_task_submit_nodeps, (void *task), SUBMITS, (task)) \
	F(int, _starpu_task_submit_nodeps, (void *task), SUBMITS, (task)) \
	F(int, _starpu_task_submit_conversion_task, (void *task, unsigned on), SUBMITS, (task, on))

/* Functions that submit a task for their caller. */
#define STARPU_IN_INSERT(F) \
	F(int, starpu_task_submit_to_ctx, (void *task, unsigned ctx), NOTES, (task, ctx)) \
	F(int, starpu_task_submit_line, (void *task, const char *file, int line), \
	  NOTES, (task, file, line)) \
	F(void, fstarpu_task_insert, (void **arguments), NOTES, (arguments)) \
	F(void, fstarpu_insert_task, (void **arguments), NOTES, (arguments)) \
	F(int, starpu_data_cpy, \
	  (void *to, void *from, int asynchronous, starpu_fn callback, void *arg), \
	  NOTES, (to, from, asynchronous, callback, arg)) \
	F(void, starpu_create_sync_task, \
	  (uint64_t tag, unsigned n, uint64_t *tags, starpu_fn callback, void *arg), \
	  NOTES, (tag, n, tags, callback, arg))

/* Dependences that the program declares: behind the arguments, what is kept by which key. */
#define STARPU_IN_DEPEND(F) \
	F(void, starpu_task_declare_deps_array, (void *task, unsigned n, void **tasks), \
	  DECLARES, (task, n, tasks), (uintptr_t)task, (uintptr_t)tasks[i]) \
	F(void, starpu_task_declare_end_deps_array, (void *task, unsigned n, void **tasks), \
	  DECLARES, (task, n, tasks), starpu_name(tasks[i], STARPU_NAME_END), (uintptr_t)task) \
	F(void, starpu_tag_declare_deps_array, (uint64_t tag, unsigned n, uint64_t *tags), \
	  DECLARES, (tag, n, tags), starpu_tag_name(tag), starpu_tag_name(tags[i]))

#define STARPU_WAITS(F) \
	ROW(F, WAITS, starpu_task_wait, 1, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, starpu_tag_wait, 1, WAIT_FOR(NAMED, starpu_tag_name(a1))) \
	ROW(F, WAITS, starpu_task_wait_for_all_in_ctx, 1, wait_for_ctx, (unsigned)a1) \
	ROW(F, WATCHES, starpu_task_wait_for_n_submitted, 1, wait_for_end) \
	ROW(F, WATCHES, starpu_task_wait_for_n_submitted_in_ctx, 2, wait_for_end) \
	ROW(F, WATCHES, starpu_task_wait_for_no_ready, 0, wait_for_end)

/* What releases others, and what waits for data: handle and mode, as far as a call has them. */
#define STARPU_DATA(F) \
	ROW_VOID(F, SIGNALS, starpu_tag_notify_from_apps, 1, SIGNAL(starpu_tag_name(a1))) \
	ROW_VOID(F, SIGNALS, starpu_tag_notify_restart_from_apps, 1, SIGNAL(starpu_tag_name(a1))) \
	ROW_VOID(F, SIGNALS, starpu_task_end_dep_release, 1, \
		 SIGNAL(starpu_name((void *)a1, STARPU_NAME_END))) \
	ROW(F, ACQUIRES, starpu_data_acquire, 2, (int)a2) \
	ROW(F, ACQUIRES, starpu_data_acquire_on_node, 3, (int)a3) \
	ROW_VOID(F, RELEASES, starpu_data_release, 1, 0) \
	ROW_VOID(F, RELEASES, starpu_data_release_on_node, 2, 0) \
	ROW_VOID(F, RELEASES, starpu_data_release_to, 2, (int)a2) \
	ROW_VOID(F, RELEASES, starpu_data_release_to_on_node, 3, (int)a2) \
	ROW_VOID(F, SIGNALS, starpu_data_unregister, 1, wait_data, (void *)a1, MODE_W) \
	ROW_VOID(F, SIGNALS, starpu_data_unregister_no_coherency, 1, wait_data, (void *)a1, MODE_W)
/* clang-format on */

#define STARPU_FUNCTIONS(F)                                                                        \
	STARPU_IN_STARPU(F)                                                                        \
	STARPU_IN_WAIT(F) STARPU_WAITS(F) STARPU_IN_TASK(F) STARPU_SUBMITS(F)                      \
	STARPU_IN_INSERT(F) STARPU_IN_DEPEND(F) STARPU_DATA(F)

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

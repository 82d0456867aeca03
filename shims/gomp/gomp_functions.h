/* SPDX-License-Identifier: MIT */
/*
 * gomp_functions.h - libgomp's entry points that are wrapped, with their prototypes in GCC 12.
 *
 * Older callers of a function that has grown arguments pass garbage in the later ones; libgomp
 * looks at those only if a flag says so, and so do we.  [libgomp_g.h, libgomp.map]
 */
#pragma once

#define GOMP_FN gomp_fn fn, void *data
#define GOMP_LOOP long start, long end, long incr
#define GOMP_MAPS size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds

#define GOMP_IN_TASK(F)                                                                            \
	/* tasks */                                                                                \
	F(void, GOMP_task,                                                                         \
	  (GOMP_FN, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause, unsigned flags,      \
	   void **depend, int priority, void *detach))

#define GOMP_HANDS(F)                                                                              \
	F(void, GOMP_taskloop,                                                                     \
	  (GOMP_FN, gomp_cpyfn cpyfn, long bytes, long align, unsigned flags,                      \
	   unsigned long n_tasks, int priority, long start, long end, long step))                  \
	F(void, GOMP_taskloop_ull,                                                                 \
	  (GOMP_FN, gomp_cpyfn cpyfn, long bytes, long align, unsigned flags,                      \
	   unsigned long n_tasks, int priority, unsigned long long start, unsigned long long end,  \
	   unsigned long long step))

#define GOMP_IN_WAIT(F)                                                                            \
	F(void, GOMP_taskwait, (void))                                                             \
	F(void, GOMP_taskwait_depend, (void **depend))                                             \
	F(void, GOMP_taskwait_depend_nowait, (void **depend))                                      \
	F(void, GOMP_taskyield, (void))                                                            \
	F(void, GOMP_taskgroup_start, (void))                                                      \
	F(void, GOMP_taskgroup_end, (void))                                                        \
	F(void, omp_fulfill_event, (void *event))                                                  \
	/* barriers of the team, explicit and at the end of worksharing */                         \
	F(void, GOMP_barrier, (void))                                                              \
	F(bool, GOMP_barrier_cancel, (void))                                                       \
	F(void, GOMP_barrier_ext, (int kind))                                                      \
	F(bool, GOMP_barrier_cancel_ext, (int kind))                                               \
	F(void, GOMP_loop_end, (void))                                                             \
	F(bool, GOMP_loop_end_cancel, (void))                                                      \
	F(void, GOMP_sections_end, (void))                                                         \
	F(bool, GOMP_sections_end_cancel, (void))                                                  \
	F(void *, GOMP_single_copy_start, (void))                                                  \
	F(void, GOMP_single_copy_end, (void *data))                                                \
	F(void, GOMP_workshare_task_reduction_unregister, (bool cancelled))                        \
	/* mutual exclusion and order */                                                           \
	F(void, GOMP_critical_start, (void))                                                       \
	F(void, GOMP_critical_end, (void))                                                         \
	F(void, GOMP_critical_name_start, (void **lock))                                           \
	F(void, GOMP_critical_name_end, (void **lock))                                             \
	F(void, GOMP_ordered_start, (void))                                                        \
	F(void, GOMP_ordered_end, (void))                                                          \
	F(void, omp_set_lock, (void *lock))                                                        \
	F(void, omp_unset_lock, (void *lock))                                                      \
	F(void, omp_set_nest_lock, (void *lock))                                                   \
	F(void, omp_unset_nest_lock, (void *lock))                                                 \
	F(int, omp_test_lock, (void *lock))                                                        \
	F(int, omp_test_nest_lock, (void *lock))                                                   \
	F(void, omp_set_lock_, (void *lock))                                                       \
	F(void, omp_unset_lock_, (void *lock))                                                     \
	F(void, omp_set_nest_lock_, (void *lock))                                                  \
	F(void, omp_unset_nest_lock_, (void *lock))                                                \
	F(int32_t, omp_test_lock_, (void *lock))                                                   \
	F(int32_t, omp_test_nest_lock_, (void *lock))                                              \
	/* cancellation */                                                                         \
	F(bool, GOMP_cancel, (int which, bool do_cancel))

#define GOMP_IN_TARGET(F)                                                                          \
	F(void, GOMP_target_ext,                                                                   \
	  (int device, gomp_fn fn, GOMP_MAPS, unsigned flags, void **depend, void **args))         \
	F(void, GOMP_target_update_ext, (int device, GOMP_MAPS, unsigned flags, void **depend))    \
	F(void, GOMP_target_enter_exit_data, (int device, GOMP_MAPS, unsigned flags, void **depend))

#define GOMP_IN_TEAM(F)                                                                            \
	/* regions */                                                                              \
	F(void, GOMP_parallel, (GOMP_FN, unsigned n_threads, unsigned flags))                      \
	F(unsigned, GOMP_parallel_reductions, (GOMP_FN, unsigned n_threads, unsigned flags))       \
	F(void, GOMP_parallel_sections,                                                            \
	  (GOMP_FN, unsigned n_threads, unsigned count, unsigned flags))                           \
	F(void, GOMP_parallel_loop_static,                                                         \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags))                    \
	F(void, GOMP_parallel_loop_dynamic,                                                        \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags))                    \
	F(void, GOMP_parallel_loop_guided,                                                         \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags))                    \
	F(void, GOMP_parallel_loop_nonmonotonic_dynamic,                                           \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags))                    \
	F(void, GOMP_parallel_loop_nonmonotonic_guided,                                            \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk, unsigned flags))                    \
	F(void, GOMP_parallel_loop_runtime,                                                        \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, unsigned flags))                                \
	F(void, GOMP_parallel_loop_nonmonotonic_runtime,                                           \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, unsigned flags))                                \
	F(void, GOMP_parallel_loop_maybe_nonmonotonic_runtime,                                     \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, unsigned flags))                                \
	F(void, GOMP_teams_reg,                                                                    \
	  (GOMP_FN, unsigned n_teams, unsigned thread_limit, unsigned flags))                      \
	/* regions as GCC up to 4.8 opens them */                                                  \
	F(void, GOMP_parallel_start, (GOMP_FN, unsigned n_threads))                                \
	F(void, GOMP_parallel_sections_start, (GOMP_FN, unsigned n_threads, unsigned count))       \
	F(void, GOMP_parallel_loop_static_start,                                                   \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk))                                    \
	F(void, GOMP_parallel_loop_dynamic_start,                                                  \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk))                                    \
	F(void, GOMP_parallel_loop_guided_start,                                                   \
	  (GOMP_FN, unsigned n_threads, GOMP_LOOP, long chunk))                                    \
	F(void, GOMP_parallel_loop_runtime_start, (GOMP_FN, unsigned n_threads, GOMP_LOOP))        \
	F(void, GOMP_parallel_end, (void))

#define GOMP_FUNCTIONS(F) GOMP_IN_TASK(F) GOMP_HANDS(F) GOMP_IN_WAIT(F)                         \
	GOMP_IN_TARGET(F) GOMP_IN_TEAM(F)

/* Asked, not wrapped. */
#define GOMP_ASKED(F) F(int, omp_get_num_threads, (void)) F(int, omp_get_num_devices, (void))

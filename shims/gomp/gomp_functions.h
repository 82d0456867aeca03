/* SPDX-License-Identifier: MIT */
/*
 * gomp_functions.h - libgomp's entry points that are wrapped, with their prototypes in GCC 12.
 *
 * Older callers of a function that has grown arguments pass garbage in the later ones; libgomp
 * looks at those only if a flag says so, and so do we.  [libgomp_g.h, libgomp.map]
 */
#pragma once

#define GOMP_FN gomp_fn fn, void *data
#define GOMP_MAPS size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds

/* Tasks: wrapped in assembly (aside.h), so that parameters are for who calls in C. */
#define GOMP_TASKS(F)                                                                              \
	F(void, GOMP_task,                                                                         \
	  (GOMP_FN, gomp_cpyfn cpyfn, long bytes, long align, bool if_clause, unsigned flags,      \
	   void **depend, int priority, void *detach))                                             \
	F(void, GOMP_taskloop, (void))                                                             \
	F(void, GOMP_taskloop_ull, (void))

#define GOMP_IN_WAIT(F)                                                                            \
	F(void, GOMP_taskwait, (void))                                                             \
	F(void, GOMP_taskwait_depend, (void **depend))                                             \
	F(void, GOMP_taskgroup_start, (void))                                                      \
	F(void, GOMP_taskgroup_end, (void))                                                        \
	F(void, omp_fulfill_event, (void *event))                                                  \
	F(bool, GOMP_cancel, (int which, bool do_cancel))

/* clang-format off */
#define GOMP_WAITS(F) \
	ROW_VOID(F, WAITS, GOMP_taskwait_depend_nowait, 1, gomp_create_empty, (void **)a1) \
	ROW_VOID(F, WAITS, GOMP_taskyield, 0, wrap_yield) \
	/* barriers of the team, explicit and at the end of worksharing */ \
	ROW_VOID(F, WAITS, GOMP_barrier, 0, WAIT_TEAM) \
	ROW(F, WAITS, GOMP_barrier_cancel, 0, WAIT_TEAM) \
	ROW_VOID(F, WAITS, GOMP_barrier_ext, 1, WAIT_TEAM) \
	ROW(F, WAITS, GOMP_barrier_cancel_ext, 1, WAIT_TEAM) \
	ROW_VOID(F, WAITS, GOMP_loop_end, 0, WAIT_TEAM) \
	ROW(F, WAITS, GOMP_loop_end_cancel, 0, WAIT_TEAM) \
	ROW_VOID(F, WAITS, GOMP_sections_end, 0, WAIT_TEAM) \
	ROW(F, WAITS, GOMP_sections_end_cancel, 0, WAIT_TEAM) \
	ROW(F, SINGLE_STARTS, GOMP_single_copy_start, 0, WAIT_TEAM) \
	ROW_VOID(F, WAITS, GOMP_single_copy_end, 1, WAIT_TEAM) \
	/* the end of a worksharing construct's task reduction: of its taskgroup, or a barrier */ \
	ROW_VOID(F, WAITS, GOMP_workshare_task_reduction_unregister, 1, wrap_wait, \
		 (uint8_t)a1 ? WIRE_WAIT_GROUP : WIRE_WAIT_TEAM) \
	/* mutual exclusion and order */ \
	ROW_VOID(F, ACQUIRES, GOMP_critical_start, 0, OBJECT_CRITICAL) \
	ROW_VOID(F, RELEASES, GOMP_critical_end, 0, OBJECT_CRITICAL) \
	ROW_VOID(F, ACQUIRES, GOMP_critical_name_start, 1, a1) \
	ROW_VOID(F, RELEASES, GOMP_critical_name_end, 1, a1) \
	ROW_VOID(F, ACQUIRES, GOMP_ordered_start, 0, ORDERED) \
	ROW_VOID(F, RELEASES, GOMP_ordered_end, 0, ORDERED) \
	ROW_VOID(F, ACQUIRES, omp_set_lock, 1, a1) \
	ROW_VOID(F, RELEASES, omp_unset_lock, 1, a1) \
	ROW_VOID(F, ACQUIRES, omp_set_nest_lock, 1, a1) \
	ROW_VOID(F, RELEASES, omp_unset_nest_lock, 1, a1) \
	ROW(F, TRIES, omp_test_lock, 1) \
	ROW(F, TRIES, omp_test_nest_lock, 1) \
	ROW_VOID(F, ACQUIRES, omp_set_lock_, 1, a1) \
	ROW_VOID(F, RELEASES, omp_unset_lock_, 1, a1) \
	ROW_VOID(F, ACQUIRES, omp_set_nest_lock_, 1, a1) \
	ROW_VOID(F, RELEASES, omp_unset_nest_lock_, 1, a1) \
	ROW(F, TRIES, omp_test_lock_, 1) \
	ROW(F, TRIES, omp_test_nest_lock_, 1)
/* clang-format on */

#define GOMP_IN_TARGET(F)                                                                          \
	F(void, GOMP_target_ext,                                                                   \
	  (int device, gomp_fn fn, GOMP_MAPS, unsigned flags, void **depend, void **args))         \
	F(void, GOMP_target_update_ext, (int device, GOMP_MAPS, unsigned flags, void **depend))    \
	F(void, GOMP_target_enter_exit_data, (int device, GOMP_MAPS, unsigned flags, void **depend))

/* Regions: likewise, each of (fn, data, ..); and what is done before. */
#define GOMP_REGIONS(F)                                                                            \
	F(void, GOMP_parallel, (void), region_enter)                                               \
	F(unsigned, GOMP_parallel_reductions, (void), reductions_enter)                            \
	F(void, GOMP_parallel_sections, (void), region_enter)                                      \
	F(void, GOMP_parallel_loop_static, (void), region_enter)                                   \
	F(void, GOMP_parallel_loop_dynamic, (void), region_enter)                                  \
	F(void, GOMP_parallel_loop_guided, (void), region_enter)                                   \
	F(void, GOMP_parallel_loop_nonmonotonic_dynamic, (void), region_enter)                     \
	F(void, GOMP_parallel_loop_nonmonotonic_guided, (void), region_enter)                      \
	F(void, GOMP_parallel_loop_runtime, (void), region_enter)                                  \
	F(void, GOMP_parallel_loop_nonmonotonic_runtime, (void), region_enter)                     \
	F(void, GOMP_parallel_loop_maybe_nonmonotonic_runtime, (void), region_enter)               \
	F(void, GOMP_teams_reg, (void), region_enter)                                              \
	/* as GCC up to 4.8 opens them */                                                          \
	F(void, GOMP_parallel_start, (void), start_enter)                                          \
	F(void, GOMP_parallel_sections_start, (void), start_enter)                                 \
	F(void, GOMP_parallel_loop_static_start, (void), start_enter)                              \
	F(void, GOMP_parallel_loop_dynamic_start, (void), start_enter)                             \
	F(void, GOMP_parallel_loop_guided_start, (void), start_enter)                              \
	F(void, GOMP_parallel_loop_runtime_start, (void), start_enter)

#define GOMP_IN_TEAM(F) F(void, GOMP_parallel_end, (void))

#define GOMP_FUNCTIONS(F)                                                                          \
	GOMP_TASKS(F)                                                                              \
	GOMP_IN_WAIT(F) GOMP_WAITS(F) GOMP_IN_TARGET(F) GOMP_REGIONS(F) GOMP_IN_TEAM(F)

/* Asked, not wrapped. */
#define GOMP_ASKED(F) F(int, omp_get_num_threads, (void)) F(int, omp_get_num_devices, (void))

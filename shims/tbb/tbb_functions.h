/* SPDX-License-Identifier: MIT */
/*
 * tbb_functions.h - oneTBB's entry points, with the names that they have in libtbb.so.12.
 *
 * References are pointers here.  The namespace is tbb::detail: r1 holds the library's functions,
 * d1 the types that are compiled into programs.  [src/tbb/def/lin64-tbb.def, 2021.1 .. 2022.0]
 */
#pragma once

#define TBB_R1(rest) "_ZN3tbb6detail2r1" rest

/* All wrapped functions: F(result, name here, symbol, parameters). */
#define TBB_IN_TASK(F)                                                                             \
	/* a task is handed over */                                                                \
	F(void, spawn, TBB_R1("5spawnERNS0_2d14taskERNS2_18task_group_contextE"),                  \
	  (struct tbb_task * task, void *context))                                                 \
	F(void, spawn_to, TBB_R1("5spawnERNS0_2d14taskERNS2_18task_group_contextEt"),              \
	  (struct tbb_task * task, void *context, uint16_t slot))                                  \
	F(void, submit, TBB_R1("6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm"),   \
	  (struct tbb_task * task, void *context, void *arena, uintptr_t critical))                \
	F(void, enqueue, TBB_R1("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"),                 \
	  (struct tbb_task * task, void *arena))                                                   \
	F(void, enqueue_in,                                                                        \
	  TBB_R1("7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_"             \
		 "baseE"),                                                                         \
	  (struct tbb_task * task, void *context, void *arena))                                    \
	/* waits */                                                                                \
	F(void, execute_and_wait,                                                                  \
	  TBB_R1("16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"         \
		 "contextES6_"),                                                                   \
	  (struct tbb_task * task, void *context, void *wait_context, void *wait_group))

#define TBB_IN_WAIT(F)                                                                             \
	F(void, wait, TBB_R1("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE"),           \
	  (void *wait_context, void *context))                                                     \
	F(void, wait_arena, TBB_R1("4waitERNS0_2d115task_arena_baseE"), (void *arena))             \
	F(void, suspend, TBB_R1("7suspendEPFvPvPNS1_18suspend_point_typeEES2_"),                   \
	  (tbb_suspend_fn callback, void *data))                                                   \
	F(void, resume, TBB_R1("6resumeEPNS1_18suspend_point_typeE"), (void *point))               \
	/* the thread blocks in tbb::mutex, a bounded queue, ..; others wake it */                 \
	F(void, wait_on_address, TBB_R1("15wait_on_addressEPvRNS0_2d113delegate_baseEm"),          \
	  (void *address, struct tbb_delegate *predicate, uintptr_t context))                      \
	F(void, notify_by_address, TBB_R1("17notify_by_addressEPvm"),                              \
	  (void *address, uintptr_t context))                                                      \
	F(void, notify_by_address_all, TBB_R1("21notify_by_address_allEPv"), (void *address))      \
	F(void, notify_by_address_one, TBB_R1("21notify_by_address_oneEPv"), (void *address))      \
	F(void, wait_queue,                                                                        \
	  TBB_R1("26wait_bounded_queue_monitorEPNS1_18concurrent_monitorEmlRNS0_2d113delegate_"    \
		 "baseE"),                                                                         \
	  (void *monitors, size_t tag, ptrdiff_t target, struct tbb_delegate *predicate))          \
	F(void, notify_queue,                                                                      \
	  TBB_R1("28notify_bounded_queue_monitorEPNS1_18concurrent_monitorEmm"),                   \
	  (void *monitors, size_t tag, size_t ticket))                                             \
	/* the calling task goes on inside an arena, maybe on another thread */                    \
	F(void, execute_in, TBB_R1("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"),    \
	  (void *arena, struct tbb_delegate *delegate))                                            \
	/* after these there may be more workers */                                                \
	F(void, parallel_pipeline,                                                                 \
	  TBB_R1("17parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE"),        \
	  (void *context, size_t tokens, const void *filters))                                     \
	F(void, initialize_arena, TBB_R1("10initializeERNS0_2d115task_arena_baseE"),               \
	  (void *arena))                                                                           \
	F(void, create_control, TBB_R1("6createERNS0_2d114global_controlE"), (void *control))

#define TBB_FUNCTIONS(F) TBB_IN_TASK(F) TBB_IN_WAIT(F)

/* Every version has this one: it tells instances of the library apart. */
#define TBB_PROBE TBB_R1("14execution_slotEPKNS0_2d114execution_dataE")

/* Asked, not wrapped. */
#define TBB_ASKED(F)                                                                               \
	F(int, max_concurrency, TBB_R1("15max_concurrencyEPKNS0_2d115task_arena_baseE"),           \
	  (const void *arena))                                                                     \
	F(size_t, control_value, TBB_R1("27global_control_active_valueEi"), (int control))         \
	F(const char *, version, "TBB_runtime_version", (void))                                    \
	F(int, interface_version, "TBB_runtime_interface_version", (void))                         \
	F(uint16_t, execution_slot, TBB_PROBE, (const void *data))

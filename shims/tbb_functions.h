/* SPDX-License-Identifier: MIT */
/*
 * tbb_functions.h - oneTBB's entry points, with the names that they have in libtbb.so.12.
 *
 * References are pointers here.  The namespace is tbb::detail: r1 holds the library's functions,
 * d1 the types that are compiled into programs.  [src/tbb/def/lin64-tbb.def, 2021.1 .. 2022.0]
 */
#pragma once

#define TBB_R1(rest) "_ZN3tbb6detail2r1" rest

/* What is wrapped: TBB_WRAPPED(name here, symbol, parameters).  All return nothing. */
#define TBB_WRAPPERS                                                                               \
	/* a task is handed over */                                                                \
	TBB_WRAPPED(spawn, TBB_R1("5spawnERNS0_2d14taskERNS2_18task_group_contextE"),              \
		    (struct tbb_task * task, void *context))                                       \
	TBB_WRAPPED(spawn_to, TBB_R1("5spawnERNS0_2d14taskERNS2_18task_group_contextEt"),          \
		    (struct tbb_task * task, void *context, uint16_t slot))                        \
	TBB_WRAPPED(submit,                                                                        \
		    TBB_R1("6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm"),       \
		    (struct tbb_task * task, void *context, void *arena, uintptr_t critical))      \
	TBB_WRAPPED(enqueue, TBB_R1("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"),             \
		    (struct tbb_task * task, void *arena))                                         \
	TBB_WRAPPED(enqueue_in,                                                                    \
		    TBB_R1("7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_"   \
			   "baseE"),                                                               \
		    (struct tbb_task * task, void *context, void *arena))                          \
	/* waits */                                                                                \
	TBB_WRAPPED(                                                                               \
		execute_and_wait,                                                                  \
		TBB_R1("16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"   \
		       "contextES6_"),                                                             \
		(struct tbb_task * task, void *context, void *wait_context, void *wait_group))     \
	TBB_WRAPPED(wait, TBB_R1("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE"),       \
		    (void *wait_context, void *context))                                           \
	TBB_WRAPPED(wait_arena, TBB_R1("4waitERNS0_2d115task_arena_baseE"), (void *arena))         \
	TBB_WRAPPED(suspend, TBB_R1("7suspendEPFvPvPNS1_18suspend_point_typeEES2_"),               \
		    (tbb_suspend_fn callback, void *data))                                         \
	TBB_WRAPPED(resume, TBB_R1("6resumeEPNS1_18suspend_point_typeE"), (void *point))           \
	/* the calling task goes on inside an arena, maybe on another thread */                    \
	TBB_WRAPPED(execute_in,                                                                    \
		    TBB_R1("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"),            \
		    (void *arena, struct tbb_delegate *delegate))                                  \
	/* after these there may be more workers */                                                \
	TBB_WRAPPED(initialize_arena, TBB_R1("10initializeERNS0_2d115task_arena_baseE"),           \
		    (void *arena))                                                                 \
	TBB_WRAPPED(create_control, TBB_R1("6createERNS0_2d114global_controlE"), (void *control))

/* What is only asked: TBB_ASKED(result, name here, symbol, parameters). */
#define TBB_QUESTIONS                                                                              \
	TBB_ASKED(int, max_concurrency, TBB_R1("15max_concurrencyEPKNS0_2d115task_arena_baseE"),   \
		  (const void *arena))                                                             \
	TBB_ASKED(size_t, control_value, TBB_R1("27global_control_active_valueEi"), (int control)) \
	TBB_ASKED(const char *, version, "TBB_runtime_version", (void))                            \
	TBB_ASKED(int, interface_version, "TBB_runtime_interface_version", (void))

/* SPDX-License-Identifier: MIT */
/*
 * ompt_kmpc.h - libomp's entry points that are wrapped: those that clang's code calls.
 *
 * libomp calls them itself through its PLT, too; such calls are passed on.  [kmp.h]
 */
#pragma once

#include "shims/common/row.h"
#include "shims/ompt/ompt_stay.h"

#define KMPC_HERE void *loc, int gtid
#define KMPC_TASK void *loc, int gtid, void *task
#define KMPC_DEPENDS int n, void *depends, int n_noalias, void *noalias

#define KMPC_IN_KMPC(F)                                                                            \
	/* tasks */                                                                                \
	F(void *, __kmpc_omp_task_alloc,                                                           \
	  (KMPC_HERE, int flags, size_t task_bytes, size_t shared_bytes, void *entry))             \
	F(void *, __kmpc_omp_target_task_alloc,                                                    \
	  (KMPC_HERE, int flags, size_t task_bytes, size_t shared_bytes, void *entry,              \
	   int64_t device))                                                                        \
	F(uintptr_t, __kmpc_omp_task, (KMPC_TASK))                                                 \
	F(void, __kmpc_omp_task_complete_if0, (KMPC_TASK))                                         \
	F(void, __kmpc_proxy_task_completed, (int gtid, void *task))                               \
	F(void, __kmpc_proxy_task_completed_ooo, (void *task))                                     \
	/* waits; the second returns nothing */                                                    \
	F(uintptr_t, __kmpc_omp_taskwait, (KMPC_HERE))                                             \
	F(uintptr_t, __kmpc_end_taskgroup, (KMPC_HERE))                                            \
	/* regions */                                                                              \
	F(void, __kmpc_fork_call_if, (void *loc, int n, void *microtask, int condition, void *data))

/* clang-format off */
/* loc, gtid, and what each has besides */
#define KMPC_ROWS(F) \
	ROW(F, CREATES, __kmpc_omp_task_parts, 3, hand_over) \
	ROW_VOID(F, BEGINS, __kmpc_omp_task_begin_if0, 3, begin_if0) \
	ROW(F, WAITS, __kmpc_omp_taskyield, 3, wrap_yield) \
	ROW_VOID(F, CREATES, __kmpc_omp_wait_deps, 6, note_wait) \
	ROW_VOID(F, CREATES, __kmpc_omp_taskwait_deps_51, 7, note_wait) \
	ROW(F, OPENS_GROUP, __kmpc_taskgroup, 2, open_group) \
	/* for a region, or a worksharing construct, that has a task reduction */ \
	ROW(F, OPENS_GROUP, __kmpc_task_reduction_modifier_init, 5, open_group) \
	ROW(F, OPENS_GROUP, __kmpc_taskred_modifier_init, 5, open_group) \
	ROW_VOID(F, WAITS, __kmpc_task_reduction_modifier_fini, 3, \
		 wrap_wait, WIRE_WAIT_GROUP) \
	ROW_VOID(F, WAITS, __kmpc_barrier, 2, wrap_wait, WIRE_WAIT_TEAM) \
	ROW(F, WAITS, __kmpc_cancel_barrier, 2, wrap_wait, WIRE_WAIT_TEAM) \
	ROW_VOID(F, WAITS, __kmpc_copyprivate, 6, wrap_wait, WIRE_WAIT_TEAM) \
	ROW(F, WAITS, __kmpc_copyprivate_light, 3, wrap_wait, WIRE_WAIT_TEAM) \
	/* mutual exclusion and order */ \
	ROW_VOID(F, ACQUIRES, __kmpc_critical, 3, WAIT_FOR(OBJECT, a3)) \
	ROW_VOID(F, ACQUIRES, __kmpc_critical_with_hint, 4, WAIT_FOR(OBJECT, a3)) \
	ROW_VOID(F, WAITS, __kmpc_end_critical, 3, RELEASE(a3)) \
	ROW_VOID(F, ACQUIRES, __kmpc_ordered, 2, WAIT_FOR(OBJECT, ORDERED)) \
	ROW_VOID(F, WAITS, __kmpc_end_ordered, 2, RELEASE(ORDERED)) \
	/* a critical section, or a barrier of which not all of the team see the end */ \
	ROW(F, ACQUIRES, __kmpc_reduce, 7, WAIT_FOR(OBJECT, a7)) \
	ROW(F, ACQUIRES, __kmpc_reduce_nowait, 7, WAIT_FOR(OBJECT, a7)) \
	ROW_VOID(F, WAITS, __kmpc_end_reduce, 3, RELEASE(a3)) \
	ROW_VOID(F, WAITS, __kmpc_end_reduce_nowait, 3, RELEASE(a3))
/* clang-format on */

#define KMPC_HANDS(F)                                                                              \
	F(int, __kmpc_omp_task_with_deps, (KMPC_TASK, KMPC_DEPENDS))                               \
	F(void, __kmpc_taskloop,                                                                   \
	  (KMPC_TASK, int if_value, uint64_t *lower, uint64_t *upper, int64_t stride,              \
	   int no_group, int schedule, uint64_t grain, void *copy))                                \
	F(void, __kmpc_taskloop_5,                                                                 \
	  (KMPC_TASK, int if_value, uint64_t *lower, uint64_t *upper, int64_t stride,              \
	   int no_group, int schedule, uint64_t grain, int modifier, void *copy))

#define KMPC_FUNCTIONS(F) KMPC_IN_KMPC(F) KMPC_ROWS(F) KMPC_HANDS(F)

struct kmpc {
	struct instance head;
	KMPC_FUNCTIONS(CALL_POINTER)
	void *__kmpc_fork_call; /* variadic: called by way of a jump */
};
enum kmpc_entry { KMPC_FUNCTIONS(CALL_ENTRY) ENTRY___kmpc_fork_call };
CALL_DECLARE(kmpc)

enum kmpc_flag {
	FLAG_TIED = 1,
	FLAG_FINAL = 2,
	FLAG_PROXY = 16,
	FLAG_DETACHABLE = 64,
	FLAG_HELPER = 128, /* libomp's threads for offloading are to run it */
};			   /* [kmp_tasking_flags] */

struct kmpc_task {
	void *shareds;
	int (*code)(int gtid, void *task);
	int32_t part;
	uint32_t unused;
};

/* The code of a task that does nothing. */
int kmpc_nothing(int gtid, void *task) CALL_HIDDEN;

/* ompt_stub.c: an untied task, or a proxy task, whose code ours calls. */
void *untied_alloc(const struct kmpc *kmpc, void *loc, int gtid, int flags, size_t task_bytes,
		   size_t shared_bytes, void *entry) CALL_HIDDEN;
void *proxy_alloc(const struct kmpc *kmpc, void *loc, int gtid, int flags, size_t task_bytes,
		  size_t shared_bytes, void *entry) CALL_HIDDEN;
/* The task's id, if it is such a proxy task and has begun; else 0. */
record_id proxy_id(void *task) CALL_HIDDEN;

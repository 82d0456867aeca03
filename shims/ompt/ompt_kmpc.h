/* SPDX-License-Identifier: MIT */
/*
 * ompt_kmpc.h - libomp's entry points that are wrapped: those that clang's code calls.
 *
 * libomp calls them itself through its PLT, too; such calls are passed on.  [kmp.h]
 */
#pragma once

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
	F(int, __kmpc_omp_task, (KMPC_TASK))                                                       \
	F(int, __kmpc_omp_task_parts, (KMPC_TASK))                                                 \
	F(void, __kmpc_omp_task_begin_if0, (KMPC_TASK))                                            \
	F(void, __kmpc_omp_task_complete_if0, (KMPC_TASK))                                         \
	F(void, __kmpc_proxy_task_completed, (int gtid, void *task))                               \
	F(void, __kmpc_proxy_task_completed_ooo, (void *task))                                     \
	/* waits */                                                                                \
	F(int, __kmpc_omp_taskwait, (KMPC_HERE))                                                   \
	F(int, __kmpc_omp_taskyield, (KMPC_HERE, int end_part))                                    \
	F(void, __kmpc_omp_wait_deps, (KMPC_HERE, KMPC_DEPENDS))                                   \
	F(void, __kmpc_omp_taskwait_deps_51, (KMPC_HERE, KMPC_DEPENDS, int no_wait))               \
	F(void, __kmpc_taskgroup, (KMPC_HERE))                                                     \
	F(void, __kmpc_end_taskgroup, (KMPC_HERE))                                                 \
	F(void *, __kmpc_task_reduction_modifier_init,                                             \
	  (KMPC_HERE, int is_workshare, int n, void *data))                                        \
	F(void *, __kmpc_taskred_modifier_init, (KMPC_HERE, int is_workshare, int n, void *data))  \
	F(void, __kmpc_task_reduction_modifier_fini, (KMPC_HERE, int is_workshare))                \
	F(void, __kmpc_barrier, (KMPC_HERE))                                                       \
	F(int, __kmpc_cancel_barrier, (KMPC_HERE))                                                 \
	F(void, __kmpc_copyprivate, (KMPC_HERE, size_t bytes, void *data, void *copy, int did))    \
	F(void *, __kmpc_copyprivate_light, (KMPC_HERE, void *data))                               \
	/* mutual exclusion and order */                                                           \
	F(void, __kmpc_critical, (KMPC_HERE, void *lock))                                          \
	F(void, __kmpc_critical_with_hint, (KMPC_HERE, void *lock, uint32_t hint))                 \
	F(void, __kmpc_end_critical, (KMPC_HERE, void *lock))                                      \
	F(void, __kmpc_ordered, (KMPC_HERE))                                                       \
	F(void, __kmpc_end_ordered, (KMPC_HERE))                                                   \
	F(int, __kmpc_reduce,                                                                      \
	  (KMPC_HERE, int n, size_t bytes, void *data, void *reduce, void *lock))                  \
	F(int, __kmpc_reduce_nowait,                                                               \
	  (KMPC_HERE, int n, size_t bytes, void *data, void *reduce, void *lock))                  \
	F(void, __kmpc_end_reduce, (KMPC_HERE, void *lock))                                        \
	F(void, __kmpc_end_reduce_nowait, (KMPC_HERE, void *lock))                                 \
	/* regions */                                                                              \
	F(void, __kmpc_fork_call_if, (void *loc, int n, void *microtask, int condition, void *data))

#define KMPC_HANDS(F)                                                                              \
	F(int, __kmpc_omp_task_with_deps, (KMPC_TASK, KMPC_DEPENDS))                               \
	F(void, __kmpc_taskloop,                                                                   \
	  (KMPC_TASK, int if_value, uint64_t *lower, uint64_t *upper, int64_t stride,              \
	   int no_group, int schedule, uint64_t grain, void *copy))                                \
	F(void, __kmpc_taskloop_5,                                                                 \
	  (KMPC_TASK, int if_value, uint64_t *lower, uint64_t *upper, int64_t stride,              \
	   int no_group, int schedule, uint64_t grain, int modifier, void *copy))

#define KMPC_FUNCTIONS(F) KMPC_IN_KMPC(F) KMPC_HANDS(F)

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
}; /* [kmp_tasking_flags] */

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

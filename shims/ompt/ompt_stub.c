/* SPDX-License-Identifier: MIT */
/* ompt_stub.c - our functions that run a task's code where libomp does not say all of it. */
#include "shims/ompt/ompt_kmpc.h"

#include "preload/poison.h"

/* ---- untied tasks ---- */

/*
 * An untied task runs in parts.  A part that is not the last hands the task over again before it
 * returns.  That the last one has returned, and where, only the code itself can tell: see
 * is_stale().  So it is called by ours, and its address kept behind the task, the distance in 4
 * bytes that struct kmp_task does not use.
 *
 * In a team of one, or when libomp's queue is full, a part runs within the one that hands it over.
 * Then the task ends in the innermost part, and what is under it is under the outermost: until that
 * returns the thread runs PART_OF_ENDED.
 */
#define PART_OF_ENDED OMPT_CLOSED

static int untied_run(int gtid, void *task)
{
	const char *end = (const char *)task + ((struct kmpc_task *)task)->unused;
	int (*code)(int, void *) = *(int (*const *)(int, void *))end;
	struct worker *worker = worker_self();
	record_id self = worker ? worker->task : 0, under = ompt_thread.under;
	union ompt_data *word = ompt_thread.entered;
	record_id wrapped = ompt_thread.wrapped;
	int result;

	if (wrapped == self) /* by the part that handed this one over; now the program runs */
		ompt_thread.wrapped = 0;
	result = code(gtid, task);
	ompt_thread.wrapped = wrapped;
	if (!self || self & OMPT_CLOSED)
		return result;
	if (under == (self | OMPT_CLOSED))
		under = PART_OF_ENDED;
	worker = worker_self();
	if (worker->task == self) {
		record_end(worker, under);
		word->value = 0;
	} else if (worker->task == PART_OF_ENDED) {
		worker->task = under;
	}
	return result;
}

void *untied_alloc(const struct kmpc *kmpc, void *loc, int gtid, int flags, size_t task_bytes,
		   size_t shared_bytes, void *entry)
{
	size_t bytes = (task_bytes + 7) & ~(size_t)7;
	struct kmpc_task *task =
		kmpc->__kmpc_omp_task_alloc(loc, gtid, flags, bytes + sizeof(entry), shared_bytes,
					    (void *)(uintptr_t)untied_run);

	task->unused = (uint32_t)bytes;
	*(void **)((char *)task + bytes) = entry;
	return task;
}

/* ---- proxy tasks ---- */

/*
 * A proxy task is complete when the program says so, on any thread, once its code has begun; libomp
 * tells that it begins, and no more.  So ours calls its code, and ends it.  The task's memory may
 * be gone when the code returns.
 */
struct proxy {
	int (*code)(int gtid, void *task);
	_Atomic record_id id; /* 0: it has not begun, or is not recorded */
};

static struct proxy *proxy_of(void *task)
{
	return (struct proxy *)((char *)task + ((struct kmpc_task *)task)->unused);
}

static int proxy_run(int gtid, void *task)
{
	struct proxy *proxy = proxy_of(task);
	struct worker *worker = worker_self();
	record_id self = worker ? worker->task : 0, under = ompt_thread.under;
	int result;

	if (self && !(self & OMPT_CLOSED)) {
		record_detail(worker, WIRE_HANDLE, self);
		atomic_store(&proxy->id, self);
	}
	result = proxy->code(gtid, task);
	worker = worker_self();
	if (self && worker && worker->task == self)
		record_end(worker, under);
	return result;
}

void *proxy_alloc(const struct kmpc *kmpc, void *loc, int gtid, int flags, size_t task_bytes,
		  size_t shared_bytes, void *entry)
{
	size_t bytes = (task_bytes + 7) & ~(size_t)7;
	struct kmpc_task *task =
		kmpc->__kmpc_omp_task_alloc(loc, gtid, flags, bytes + sizeof(struct proxy),
					    shared_bytes, (void *)(uintptr_t)proxy_run);

	task->unused = (uint32_t)bytes;
	proxy_of(task)->code = (int (*)(int, void *))(uintptr_t)entry;
	atomic_store(&proxy_of(task)->id, 0);
	return task;
}

record_id proxy_id(void *task)
{
	bool ours = ((struct kmpc_task *)task)->code == proxy_run;

	return ours ? atomic_load(&proxy_of(task)->id) : 0;
}

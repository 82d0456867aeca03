/* SPDX-License-Identifier: MIT */
/*
 * ompt_kmpc.c - the wrappers of what clang's code calls.
 *
 * Waits are recorded here.  A creation begins with the allocation of the task and ends with the
 * return of the call that hands it over; that there is a task, and which, a callback between the
 * two says.
 */
#include "shims/ompt/ompt_kmpc.h"

#include "shims/ompt/omp_aside.h"
#include "shims/common/variadic.h"
#include "shims/common/wrap.h"
#include "preload/probe.h"

#include "preload/poison.h"

KMPC_IN_KMPC(CALL_WRAPPER)

/* ---- the instances of libomp ---- */

static void kmpc_identify(void *instance, void *handle)
{
	struct kmpc *kmpc = instance;

	kmpc->head.runtime = ompt_runtime(kmpc->__kmpc_fork_call);
}

CALL_RUNTIME(kmpc, KMPC_FUNCTIONS(CALL_DOOR), KMPC_FUNCTIONS(CALL_NAME) "__kmpc_fork_call",
	     .probe = "__kmpc_fork_call", .library = "libomp.so.5", .identify = kmpc_identify);

/* ---- creation ---- */

int kmpc_nothing(int gtid, void *task)
{
	return 0;
}

/* Hot path: the task at hand begins to create one. */
static inline void put_note(struct worker *worker, const struct callsite *callsite, int flags)
{
	ompt_thread.kmpc = kmpc_of(callsite);
	ompt_thread.allocator = worker->task;
	ompt_thread.task_site = callsite->site;
	ompt_note_time(worker, OMPT_NOTE_TASK);
	ompt_thread.note_flags = flags;
}

/* False: nothing is recorded. */
static bool alloc_note(const struct callsite *callsite, int flags)
{
	struct worker *worker = ompt_worker(callsite);

	if (worker)
		put_note(worker, callsite, flags);
	return worker != NULL;
}

static void proxy_complete(const struct callsite *callsite, void *task)
{
	record_id id = proxy_id(task);
	struct worker *worker = id ? callsite_worker(callsite) : NULL;

	if (worker)
		record_resume(worker, ompt_end_strand(worker, WIRE_SIGNAL, id));
}

void __kmpc_proxy_task_completed(int gtid, void *task)
{
	struct callsite *callsite = CALLSITE(kmpc, __kmpc_proxy_task_completed, NULL);

	proxy_complete(callsite, task);
	kmpc_of(callsite)->__kmpc_proxy_task_completed(gtid, task);
}

void __kmpc_proxy_task_completed_ooo(void *task)
{
	struct callsite *callsite = CALLSITE(kmpc, __kmpc_proxy_task_completed_ooo, NULL);

	proxy_complete(callsite, task);
	kmpc_of(callsite)->__kmpc_proxy_task_completed_ooo(task);
}

/*
 * All but what nearly every allocation is.  Where a probe rules time, tasks do nothing; but
 * detachable ones do, since their code fulfills the event, and so do those with a false if clause,
 * which clang's code calls itself.
 */
static __attribute__((noinline)) void *alloc_else(KMPC_HERE, int flags, size_t task_bytes,
						  size_t shared_bytes, void *entry, void *from)
{
	struct callsite *callsite = CALLSITE_FROM(from, kmpc, __kmpc_omp_task_alloc, entry);
	bool noted = alloc_note(callsite, flags);

	if (noted && probe_rules_time() && !(flags & (FLAG_PROXY | FLAG_DETACHABLE)))
		entry = (void *)(uintptr_t)kmpc_nothing;
	if (noted && flags & FLAG_PROXY)
		return proxy_alloc(kmpc_of(callsite), loc, gtid, flags, task_bytes, shared_bytes,
				   entry);
	if (noted && !(flags & (FLAG_TIED | FLAG_DETACHABLE)))
		return untied_alloc(kmpc_of(callsite), loc, gtid, flags, task_bytes, shared_bytes,
				    entry);
	return kmpc_of(callsite)->__kmpc_omp_task_alloc(loc, gtid, flags, task_bytes, shared_bytes,
							entry);
}

/* Hot path */
void *__kmpc_omp_task_alloc(KMPC_HERE, int flags, size_t task_bytes, size_t shared_bytes,
			    void *entry)
{
	const struct callsite *callsite = CALLSITE_AT_HAND(kmpc, __kmpc_omp_task_alloc, entry);
	struct worker *worker = worker_self();

	if (__builtin_expect(!callsite || !ompt_is_open(callsite, worker) || worker->slow_clock ||
				     (flags & (FLAG_TIED | FLAG_PROXY)) != FLAG_TIED,
			     0))
		return alloc_else(loc, gtid, flags, task_bytes, shared_bytes, entry,
				  __builtin_return_address(0));
	put_note(worker, callsite, flags);
	return ompt_thread.kmpc->__kmpc_omp_task_alloc(loc, gtid, flags, task_bytes, shared_bytes,
						       entry);
}

void *__kmpc_omp_target_task_alloc(KMPC_HERE, int flags, size_t task_bytes, size_t shared_bytes,
				   void *entry, int64_t device)
{
	struct callsite *callsite = CALLSITE(kmpc, __kmpc_omp_target_task_alloc, entry);

	alloc_note(callsite, flags | FLAG_HELPER);
	return kmpc_of(callsite)->__kmpc_omp_target_task_alloc(loc, gtid, flags, task_bytes,
							       shared_bytes, entry, device);
}

/* ---- how a task is inside libomp ---- */

#define WRAP_KMPC(after, ...)                                                                      \
	WRAP_ROW(kmpc, ompt_worker(callsite), stay_close(worker), after, __VA_ARGS__)
#define WAITS(...) WRAP_KMPC(stay_reopen(&stay), __VA_ARGS__)
#define ACQUIRES(...) WRAP_KMPC((clock_fence(), stay_reopen(&stay)), __VA_ARGS__)
#define ORDERED (ompt_thread.team | UINT64_C(1) << 47)

/* In a function that may create a task: callbacks tell. */
#define CREATES_THEN(after, ...)                                                                   \
	WRAP_ROW(kmpc, ompt_worker(callsite), ompt_wrap(worker), after, __VA_ARGS__)
#define CREATES(...) CREATES_THEN(ompt_unwrap(&stay), __VA_ARGS__)
#define BEGINS(...) CREATES_THEN((ompt_thread.if0 = false, ompt_unwrap(&stay)), __VA_ARGS__)
#define OPENS_GROUP(...) CREATES_THEN(ompt_thread.wrapped = stay.outer, __VA_ARGS__)

/* The caller runs the task's code itself, between the two calls. */
static inline void begin_if0(struct worker *worker, const struct callsite *callsite)
{
	ompt_thread.if0 = true;
}

/* Opens a taskgroup: the strand goes on. */
static inline void open_group(struct worker *worker, const struct callsite *callsite)
{
	record_detail(worker, WIRE_GROUP, 0);
}

/* Callbacks say for which dependences, if for any. */
static inline void note_wait(struct worker *worker, const struct callsite *callsite)
{
	ompt_take_note(worker, OMPT_NOTE_NONE, callsite->site);
}

static inline void hand_over(struct worker *worker, const struct callsite *callsite)
{
}

KMPC_ROWS(CALL_ROW)

/* ---- handing over ---- */

/* All but what nearly every return is. */
static __attribute__((noinline)) uintptr_t back_else(record_id task, uintptr_t returned)
{
	stay_reopen_task(worker_self(), task);
	return returned;
}

/* Hot path: stay_reopen() for who kept the task alone; nothing is kept across a call. */
static __attribute__((noinline)) uintptr_t wait_back(record_id task, uintptr_t returned)
{
	struct worker *worker = worker_self();
	struct store store = NO_STORE;

	if (__builtin_expect(worker->task == (task | OMPT_CLOSED), 1))
		store = worker_enter(worker, WORKER_OUTSIDE, 1);
	if (!store.slot)
		return back_else(task, returned);
	worker->task = task;
	worker_fill_now(store.slot, WIRE_RESUME, task);
	worker_leave(worker, store, WORKER_INSIDE);
	return returned;
}

/* ompt_unwrap() for who kept `outer` alone: whoever set `wrapped` meanwhile has restored it. */
static __attribute__((noinline)) uintptr_t task_back(record_id outer, uintptr_t returned)
{
	record_id self = ompt_thread.wrapped;

	ompt_thread.wrapped = outer;
	return wait_back(self, returned);
}

static void *hand_back(struct aside *head, void *returned)
{
	struct omp_aside *aside = (struct omp_aside *)head;
	record_id outer = aside->wrapped;

	if (omp_aside_close(worker_self(), aside))
		task_back(outer, 0);
	return returned;
}

/* NULL: nothing is recorded. */
static struct aside *hand_aside(const struct callsite *callsite)
{
	struct worker *worker = ompt_worker(callsite);
	struct omp_aside *aside = worker ? omp_aside_open(worker, hand_back) : NULL;

	if (!aside)
		return NULL;
	aside->wrapped = ompt_thread.wrapped;
	ompt_thread.wrapped = worker->task;
	return &aside->head;
}

/* Such as a part of an untied task, which hands over the next.  Calls nothing when that is back. */
static __attribute__((noinline)) uintptr_t task_else(KMPC_TASK, void *from)
{
	const struct callsite *callsite = CALLSITE_FROM(from, kmpc, __kmpc_omp_task, NULL);

	return (uintptr_t)aside_call(loc, (void *)(intptr_t)gtid, task, NULL, hand_aside(callsite),
				     (aside_fn *)(uintptr_t)kmpc_of(callsite)->__kmpc_omp_task);
}

/* Hot path: with 16 bytes of stack, since the task may run inside.  Its allocation has found out
 * that this thread records, and which libomp it is. */
uintptr_t __kmpc_omp_task(KMPC_TASK)
{
	const struct kmpc *kmpc = ompt_thread.kmpc;
	struct worker *worker = worker_self();
	record_id outer = ompt_thread.wrapped;

	if (__builtin_expect(!kmpc || !worker || worker->task != ompt_thread.allocator ||
				     worker->task == outer || !ompt_state.plain,
			     0))
		return task_else(loc, gtid, task, __builtin_return_address(0));
	ompt_thread.wrapped = worker->task;
	return task_back(outer, kmpc->__kmpc_omp_task(loc, gtid, task));
}

/* (loc, gtid, task, n, depends, n_noalias; noalias) */
ASIDE_WRAPPER(__kmpc_omp_task_with_deps);
ASIDE_ENTER(__kmpc_omp_task_with_deps)
{
	const struct callsite *callsite =
		CALLSITE_FROM(from, kmpc, __kmpc_omp_task_with_deps, NULL);

	return (struct aside_entered){
		(const void *)(uintptr_t)kmpc_of(callsite)->__kmpc_omp_task_with_deps,
		hand_aside(callsite)
	};
}

void __kmpc_omp_task_complete_if0(KMPC_TASK)
{
	struct callsite *callsite = CALLSITE(kmpc, __kmpc_omp_task_complete_if0, NULL);
	struct worker *worker = ompt_worker(callsite);

	if (worker)
		ompt_take_note(worker, OMPT_NOTE_END, callsite->site);
	kmpc_of(callsite)->__kmpc_omp_task_complete_if0(loc, gtid, task);
	if (worker)
		stay_reopen_task(worker, worker->task & ~OMPT_CLOSED);
}

/* ---- waits ---- */

/* Hot path: a wait in which tasks run, with 16 bytes of stack: no call but the runtime's, across
 * which one word is kept: the task, or 0: the short way will not do. */
static inline record_id wait_at_once(const struct callsite *callsite, enum wire_wait wait)
{
	struct worker *worker = worker_self();
	record_id task = callsite && ompt_is_open(callsite, worker) ? worker->task : 0;
	struct store store = task ? worker_enter(worker, WORKER_INSIDE, 1) : NO_STORE;

	if (!store.slot)
		return 0;
	worker_fill_now(store.slot, WIRE_WAIT, site_make(callsite->site, wait));
	worker_leave(worker, store, WORKER_OUTSIDE);
	worker->task = task | OMPT_CLOSED;
	return task;
}

/* Hot path, but for name_else(). */
#define WAITS_AT_ONCE(name, wait)                                                                  \
	static __attribute__((noinline)) uintptr_t name##_else(KMPC_HERE, void *from)              \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, kmpc, name, NULL);                 \
		struct worker *worker = ompt_worker(callsite);                                     \
                                                                                                   \
		if (!worker)                                                                       \
			return kmpc_of(callsite)->name(loc, gtid);                                 \
		record_wait(worker, callsite->site, wait);                                         \
		record_id task = stay_close(worker).task;                                          \
                                                                                                   \
		return wait_back(task, kmpc_of(callsite)->name(loc, gtid));                        \
	}                                                                                          \
	uintptr_t name(KMPC_HERE)                                                                  \
	{                                                                                          \
		const struct callsite *callsite = CALLSITE_AT_HAND(kmpc, name, NULL);              \
		record_id task = wait_at_once(callsite, wait);                                     \
                                                                                                   \
		if (!task)                                                                         \
			return name##_else(loc, gtid, __builtin_return_address(0));                \
		return wait_back(task, kmpc_of(callsite)->name(loc, gtid));                        \
	}

WAITS_AT_ONCE(__kmpc_omp_taskwait, WIRE_WAIT_CHILDREN)
WAITS_AT_ONCE(__kmpc_end_taskgroup, WIRE_WAIT_GROUP)

/* ---- regions ---- */

static void fork_note(const struct callsite *callsite)
{
	uintptr_t from = atomic_load_explicit(&callsite->return_address, memory_order_relaxed);
	struct worker *worker = ompt_has_code(from) ? NULL : ompt_worker(callsite);

	if (worker && !ompt_has_note(worker, OMPT_NOTE_FORK)) /* GOMP_parallel() has taken it */
		ompt_take_note(worker, OMPT_NOTE_FORK, callsite->site);
}

void __kmpc_fork_call_if(void *loc, int n, void *microtask, int condition, void *data)
{
	struct callsite *callsite = CALLSITE(kmpc, __kmpc_fork_call_if, microtask);

	fork_note(callsite);
	kmpc_of(callsite)->__kmpc_fork_call_if(loc, n, microtask, condition, data);
}

/* void __kmpc_fork_call(loc, n, microtask, ...) */
VARIADIC_TO(kmpc_fork);
const void *kmpc_fork(void *from, const uintptr_t *arguments)
{
	struct callsite *callsite = CALLSITE_FROM(from, kmpc, __kmpc_fork_call, arguments[2]);

	fork_note(callsite);
	return kmpc_of(callsite)->__kmpc_fork_call;
}
VARIADIC(__kmpc_fork_call, kmpc_fork);

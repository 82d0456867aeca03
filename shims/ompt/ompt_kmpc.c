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

struct callsites kmpc_callsites;

static void kmpc_identify(void *instance, void *handle)
{
	struct kmpc *kmpc = instance;

	kmpc->head.runtime = ompt_runtime(kmpc->__kmpc_fork_call);
}

const struct callsite_runtime kmpc_runtime = {
	.probe = "__kmpc_fork_call",
	.library = "libomp.so.5",
	CALL_RUNTIME(kmpc, KMPC_FUNCTIONS(CALL_NAME) "__kmpc_fork_call"),
	.identify = kmpc_identify,
};

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

/* Hot path */
static inline struct store kmpc_enter(const struct callsite *callsite, struct worker *worker)
{
	return ompt_is_open(callsite, worker) ? worker_enter(worker, WORKER_INSIDE, 1) : NO_STORE;
}

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

/* ompt_unwrap() for who kept `outer` alone: whoever set `wrapped` meanwhile has restored it. */
static __attribute__((noinline)) int task_back(record_id outer, int returned)
{
	record_id self = ompt_thread.wrapped;

	ompt_thread.wrapped = outer;
	stay_reopen_task(worker_self(), self);
	return returned;
}

static __attribute__((noinline)) int task_else(KMPC_TASK, void *from)
{
	const struct callsite *callsite = CALLSITE_FROM(from, kmpc, __kmpc_omp_task, NULL);
	struct worker *worker = ompt_worker(callsite);
	record_id outer = ompt_thread.wrapped;
	int returned;

	if (!worker)
		return kmpc_of(callsite)->__kmpc_omp_task(loc, gtid, task);
	ompt_thread.wrapped = worker->task;
	returned = kmpc_of(callsite)->__kmpc_omp_task(loc, gtid, task);
	return task_back(outer, returned);
}

/* Hands a part of an untied task over, with 16 bytes of stack, since it may run inside. */
static __attribute__((noinline)) int task_part(KMPC_TASK, void *from)
{
	const struct callsite *callsite =
		callsite_at_hand(&kmpc_callsites, from, NULL, ENTRY___kmpc_omp_task);
	struct worker *worker = worker_self();
	record_id outer = ompt_thread.wrapped;
	int returned;

	if (__builtin_expect(!callsite || !ompt_is_open(callsite, worker), 0))
		return task_else(loc, gtid, task, from);
	ompt_thread.wrapped = worker->task;
	returned = kmpc_of(callsite)->__kmpc_omp_task(loc, gtid, task);
	return task_back(outer, returned);
}

/* Hot path: with 16 bytes of stack, since the task may run inside.  Its allocation has found out
 * that this thread records, and which libomp it is. */
int __kmpc_omp_task(KMPC_TASK)
{
	const struct kmpc *kmpc = ompt_thread.kmpc;
	struct worker *worker = worker_self();
	record_id outer = ompt_thread.wrapped;
	int returned;

	if (__builtin_expect(!kmpc || !worker || worker->task != ompt_thread.allocator ||
				     worker->task == outer || !ompt_state.plain,
			     0))
		return task_part(loc, gtid, task, __builtin_return_address(0));
	ompt_thread.wrapped = worker->task;
	returned = kmpc->__kmpc_omp_task(loc, gtid, task);
	return task_back(outer, returned);
}

static void *deps_back(struct aside *head, void *returned)
{
	struct omp_aside *aside = (struct omp_aside *)head;
	record_id outer = aside->wrapped;

	if (omp_aside_close(worker_self(), aside))
		task_back(outer, 0);
	return returned;
}

/* (loc, gtid, task, n, depends, n_noalias; noalias) */
ASIDE_WRAPPER(__kmpc_omp_task_with_deps);
ASIDE_ENTER(__kmpc_omp_task_with_deps)
{
	struct callsite *callsite = CALLSITE_FROM(from, kmpc, __kmpc_omp_task_with_deps, NULL);
	const void *to = (const void *)(uintptr_t)kmpc_of(callsite)->__kmpc_omp_task_with_deps;
	struct worker *worker = ompt_worker(callsite);
	struct omp_aside *aside = worker ? omp_aside_open(worker, on_stack, deps_back) : NULL;

	if (!aside)
		return (struct aside_entered){ to, NULL };
	aside->wrapped = ompt_thread.wrapped;
	ompt_thread.wrapped = worker->task;
	return (struct aside_entered){ to, &aside->head };
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
	struct store store = callsite ? kmpc_enter(callsite, worker) : NO_STORE;

	if (!store.slot)
		return 0;
	worker_fill_now(store.slot, WIRE_WAIT, site_make(callsite->site, wait));
	worker_leave(worker, store, WORKER_OUTSIDE);
	return stay_close(worker).task;
}

/* stay_reopen() for it. */
static __attribute__((noinline)) int wait_back(record_id task, int returned)
{
	stay_reopen_task(worker_self(), task);
	return returned;
}

/* Hot path, but for name_else(). */
#define WAITS_AT_ONCE(name, wait)                                                                  \
	static __attribute__((noinline)) int name##_else(KMPC_HERE, void *from)                    \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, kmpc, name, NULL);                 \
		struct worker *worker = ompt_worker(callsite);                                     \
		int returned;                                                                      \
                                                                                                   \
		if (!worker)                                                                       \
			return kmpc_of(callsite)->name(loc, gtid);                                 \
		record_wait(worker, callsite->site, wait);                                         \
		struct stay stay = stay_close(worker);                                             \
                                                                                                   \
		returned = kmpc_of(callsite)->name(loc, gtid);                                     \
		stay_reopen(&stay);                                                                \
		return returned;                                                                   \
	}                                                                                          \
	int name(KMPC_HERE)                                                                        \
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

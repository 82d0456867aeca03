/* SPDX-License-Identifier: MIT */
/*
 * gomp_wait.c - places where a task waits or lets others go on: taskwait, taskgroup, barriers,
 * critical sections, locks, ordered; and dependences and cancellation.
 */
#include "shims/gomp.h"

#include "preload/poison.h"

/* Objects without an address of their own. */
#define OBJECT_CRITICAL 1u
#define OBJECT_ORDERED(group) ((group) | UINT64_C(1) << 47)

/* A wrapper that waits: `wait` ends the strand, and the task goes on when the real one is back. */
#define WAITS(name, parameters, wait, arguments)                                                   \
	CALL_EXPORT void name parameters                                                           \
	{                                                                                          \
		struct call *call = GOMP_CALL(name, NULL);                                         \
		struct worker *worker = gomp_worker(call);                                         \
                                                                                                   \
		if (!worker) {                                                                     \
			gomp_of(call)->name arguments;                                             \
			return;                                                                    \
		}                                                                                  \
		wait;                                                                              \
		record_id self = worker->task;                                                     \
		gomp_close(call, worker);                                                          \
                                                                                                   \
		gomp_of(call)->name arguments;                                                     \
		record_resume(worker_self(), self);                                                \
	}

#define WAITS_CANCEL(name, parameters, arguments)                                                  \
	CALL_EXPORT bool name parameters                                                           \
	{                                                                                          \
		struct call *call = GOMP_CALL(name, NULL);                                         \
		struct worker *worker = gomp_worker(call);                                         \
		bool cancelled;                                                                    \
                                                                                                   \
		if (!worker)                                                                       \
			return gomp_of(call)->name arguments;                                      \
		record_wait(worker, call->site, WIRE_WAIT_TEAM);                                   \
		record_id self = worker->task;                                                     \
		gomp_close(call, worker);                                                          \
                                                                                                   \
		cancelled = gomp_of(call)->name arguments;                                         \
		record_resume(worker_self(), self);                                                \
		return cancelled;                                                                  \
	}

#define TEAM record_wait(worker, call->site, WIRE_WAIT_TEAM)

WAITS(GOMP_taskwait, (void), record_wait(worker, call->site, WIRE_WAIT_CHILDREN), ())
WAITS(GOMP_taskgroup_end, (void), record_wait(worker, call->site, WIRE_WAIT_GROUP), ())
WAITS(GOMP_taskyield, (void), record_end_strand(worker, WIRE_YIELD, call->site), ())
WAITS(GOMP_barrier, (void), TEAM, ())
WAITS(GOMP_barrier_ext, (int kind), TEAM, (kind))
WAITS(GOMP_loop_end, (void), TEAM, ())
WAITS(GOMP_sections_end, (void), TEAM, ())
WAITS(GOMP_single_copy_end, (void *data), TEAM, (data))
/* The end of a worksharing construct's task reduction: of its taskgroup, then a barrier. */
WAITS(GOMP_workshare_task_reduction_unregister, (bool cancelled),
      record_wait(worker, call->site, cancelled ? WIRE_WAIT_GROUP : WIRE_WAIT_TEAM), (cancelled))
WAITS_CANCEL(GOMP_barrier_cancel, (void), ())
WAITS_CANCEL(GOMP_barrier_cancel_ext, (int kind), (kind))
WAITS_CANCEL(GOMP_loop_end_cancel, (void), ())
WAITS_CANCEL(GOMP_sections_end_cancel, (void), ())

/* The thread that is to run the single block gets NULL at once; the others wait for its data. */
CALL_EXPORT void *GOMP_single_copy_start(void)
{
	struct call *call = GOMP_CALL(GOMP_single_copy_start, NULL);
	struct worker *worker = gomp_worker(call);
	void *data;

	if (!worker)
		return gomp_of(call)->GOMP_single_copy_start();
	record_wait(worker, call->site, WIRE_WAIT_TEAM);
	record_id self = worker->task;

	gomp_close(call, worker);
	data = gomp_of(call)->GOMP_single_copy_start();
	if (!data)
		record_detail(worker, WIRE_NOWAIT, 0);
	record_resume(worker_self(), self);
	return data;
}

CALL_EXPORT void GOMP_taskgroup_start(void)
{
	struct call *call = GOMP_CALL(GOMP_taskgroup_start, NULL);
	struct worker *worker = gomp_worker(call);

	if (worker) {
		if (!worker->task)
			record_root(worker);
		record_detail(worker, WIRE_GROUP, 0);
	}
	record_id outer = ompt_thread.wrapped;

	if (worker && gomp_of(call)->head.other)
		ompt_thread.wrapped = worker->task;
	gomp_of(call)->GOMP_taskgroup_start();
	ompt_thread.wrapped = outer;
}

/* ---- dependences ---- */

static void depend_put(struct worker *worker, const void *address, enum wire_depend type)
{
	uint64_t at = (uintptr_t)address & ((UINT64_C(1) << WIRE_DEPEND_SHIFT) - 1);

	if (!address && type == WIRE_DEPEND_OUT) /* omp_all_memory */
		type = WIRE_DEPEND_ALL;
	record_detail(worker, WIRE_DEPEND, at | (uint64_t)type << WIRE_DEPEND_SHIFT);
}

/* A depobj: what omp_depend_t holds.  [task.c, gomp_task_handle_depend()] */
static void depend_put_object(struct worker *worker, void *const *object)
{
	static const uint8_t type[] = { WIRE_DEPEND_OUT, WIRE_DEPEND_IN,    WIRE_DEPEND_OUT,
					WIRE_DEPEND_OUT, WIRE_DEPEND_MUTEX, WIRE_DEPEND_SET };
	uintptr_t code = (uintptr_t)object[1];

	depend_put(worker, object[0], code < sizeof(type) ? type[code] : WIRE_DEPEND_OUT);
}

/*
 * Old layout: n, n_out, addresses, outs first.  New one: 0, n, n_out, n_mutexinoutset, n_in,
 * addresses in that order, and then pointers to depobjs.
 */
void gomp_depends(struct worker *worker, void **depend)
{
	uintptr_t n = (uintptr_t)depend[0];
	uintptr_t n_out = (uintptr_t)depend[1], n_mutex = 0, n_in;

	if (n) {
		n_in = n - n_out;
		depend += 2;
	} else {
		n = (uintptr_t)depend[1];
		n_out = (uintptr_t)depend[2];
		n_mutex = (uintptr_t)depend[3];
		n_in = (uintptr_t)depend[4];
		depend += 5;
	}
	for (uintptr_t i = 0; i < n; i++) {
		if (i < n_out)
			depend_put(worker, depend[i], WIRE_DEPEND_OUT);
		else if (i < n_out + n_mutex)
			depend_put(worker, depend[i], WIRE_DEPEND_MUTEX);
		else if (i < n_out + n_mutex + n_in)
			depend_put(worker, depend[i], WIRE_DEPEND_IN);
		else
			depend_put_object(worker, depend[i]);
	}
}

static void wait_depend(struct worker *worker, uint32_t site, void **depend)
{
	record_wait(worker, site, WIRE_WAIT_DEPEND);
	gomp_depends(worker, depend);
}

static void create_empty(struct worker *worker, uint32_t site, void **depend)
{
	record_create(worker, site, WIRE_TASK_EMPTY);
	gomp_depends(worker, depend);
}

WAITS(GOMP_taskwait_depend, (void **depend), wait_depend(worker, call->site, depend), (depend))
WAITS(GOMP_taskwait_depend_nowait, (void **depend), create_empty(worker, call->site, depend),
      (depend))

/* ---- objects ---- */

static void wait_object(struct worker *worker, uint32_t site, uint64_t object)
{
	record_wait(worker, site, WIRE_WAIT_OBJECT);
	record_detail(worker, WIRE_OBJECT, object);
}

#define ACQUIRES(name, parameters, object, arguments)                                              \
	WAITS(name, parameters, wait_object(worker, call->site, object), arguments)
#define RELEASES(name, parameters, object, arguments)                                              \
	WAITS(name, parameters, record_end_strand(worker, WIRE_SIGNAL, object), arguments)

ACQUIRES(GOMP_critical_start, (void), OBJECT_CRITICAL, ())
RELEASES(GOMP_critical_end, (void), OBJECT_CRITICAL, ())
ACQUIRES(GOMP_critical_name_start, (void **lock), (uintptr_t)lock, (lock))
RELEASES(GOMP_critical_name_end, (void **lock), (uintptr_t)lock, (lock))
ACQUIRES(GOMP_ordered_start, (void), OBJECT_ORDERED(gomp_team(call)), ())
RELEASES(GOMP_ordered_end, (void), OBJECT_ORDERED(gomp_team(call)), ())
ACQUIRES(omp_set_lock, (void *lock), (uintptr_t)lock, (lock))
RELEASES(omp_unset_lock, (void *lock), (uintptr_t)lock, (lock))
ACQUIRES(omp_set_nest_lock, (void *lock), (uintptr_t)lock, (lock))
RELEASES(omp_unset_nest_lock, (void *lock), (uintptr_t)lock, (lock))
ACQUIRES(omp_set_lock_, (void *lock), (uintptr_t)lock, (lock))
RELEASES(omp_unset_lock_, (void *lock), (uintptr_t)lock, (lock))
ACQUIRES(omp_set_nest_lock_, (void *lock), (uintptr_t)lock, (lock))
RELEASES(omp_unset_nest_lock_, (void *lock), (uintptr_t)lock, (lock))

/* libomp itself tells which task the event is of. */
CALL_EXPORT void omp_fulfill_event(void *event)
{
	struct call *call = GOMP_CALL(omp_fulfill_event, NULL);
	struct worker *worker = gomp_of(call)->head.other ? NULL : call_worker_inside(call);

	if (worker)
		record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)event);
	gomp_of(call)->omp_fulfill_event(event);
	if (worker)
		record_resume(worker, worker->task);
}

/* ---- cancellation ---- */

CALL_EXPORT bool GOMP_cancel(int which, bool do_cancel)
{
	struct call *call = GOMP_CALL(GOMP_cancel, NULL);
	struct worker *worker = gomp_worker(call);

	if (worker && worker->task && do_cancel && !gomp_of(call)->head.other)
		record_detail(worker, WIRE_CANCEL, (uint64_t)which);
	return gomp_of(call)->GOMP_cancel(which, do_cancel);
}

/* SPDX-License-Identifier: MIT */
/*
 * gomp_wait.c - places where a task waits or lets others go on: taskwait, taskgroup, barriers,
 * critical sections, locks, ordered; and dependences and cancellation.
 */
#include "shims/gomp/gomp.h"

#include "preload/poison.h"

GOMP_IN_WAIT(CALL_WRAPPER)

/* Objects without an address of their own. */
#define OBJECT_CRITICAL 1u
#define OBJECT_ORDERED(group) ((group) | UINT64_C(1) << 47)

#define WRAP_GOMP(after, ...)                                                                      \
	WRAP_ROW(gomp, gomp_worker(callsite), gomp_leave(callsite, worker), after, __VA_ARGS__)
#define WAITS(...) WRAP_GOMP(stay_resume(&stay), __VA_ARGS__)
#define WAIT_TEAM wrap_wait, WIRE_WAIT_TEAM

void gomp_go_on(void)
{
	struct worker *worker = worker_self();

	record_resume(worker, worker->task);
}

void gomp_task_end(record_id below)
{
	record_end(worker_self(), below);
}

/* A wait in which tasks run, where the short way will not do.  The real function is that of the
 * wrapper that was called. */
static __attribute__((noinline)) void wait_else(struct callsite *callsite, void (*real)(void),
						enum wire_wait wait)
{
	struct worker *worker = gomp_worker(callsite);

	if (!worker) {
		real();
		return;
	}
	record_wait(worker, callsite->site, wait);
	struct stay stay = gomp_leave(callsite, worker);

	real();
	stay_resume(&stay);
}

/*
 * Hot path: the short way of such a wait, with 16 bytes of stack, so that tasks that nest find
 * room: no call but the runtime's, across which nothing is kept.  False: it will not do.
 */
static inline bool wait_at_once(const struct callsite *callsite, enum wire_wait wait)
{
	struct worker *worker = worker_self();
	struct store store = NO_STORE;

	if (callsite && callsite->site && !callsite->instance->other && worker && worker->task)
		store = worker_enter(worker, WORKER_INSIDE, 1);
	if (!store.slot)
		return false;
	worker_fill_now(store.slot, WIRE_WAIT, site_make(callsite->site, wait));
	worker_leave(worker, store, WORKER_OUTSIDE);
	return true;
}

/* Hot path, but for name_else(). */
#define WAITS_AT_ONCE(name, wait)                                                                  \
	static __attribute__((noinline)) void name##_else(void *from)                              \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, gomp, name, NULL);                 \
                                                                                                   \
		wait_else(callsite, gomp_of(callsite)->name, wait);                                \
	}                                                                                          \
	void name(void)                                                                            \
	{                                                                                          \
		const struct callsite *callsite = CALLSITE_AT_HAND(gomp, name, NULL);              \
                                                                                                   \
		if (!wait_at_once(callsite, wait)) {                                               \
			name##_else(__builtin_return_address(0));                                  \
			return;                                                                    \
		}                                                                                  \
		gomp_of(callsite)->name();                                                         \
		gomp_go_on();                                                                      \
	}

WAITS_AT_ONCE(GOMP_taskwait, WIRE_WAIT_CHILDREN)
WAITS_AT_ONCE(GOMP_taskgroup_end, WIRE_WAIT_GROUP)

/* The thread that is to run the single block gets NULL at once; the others wait for its
   data. */
static inline void single_tried(const struct stay *stay, uintptr_t data)
{
	if (!data)
		record_detail(worker_self(), WIRE_NOWAIT, 0);
	stay_resume(stay);
}

#define SINGLE_STARTS(...) WRAP_GOMP(single_tried(&stay, returned), __VA_ARGS__)

void GOMP_taskgroup_start(void)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_taskgroup_start, NULL);
	struct worker *worker = gomp_worker(callsite);

	if (worker) {
		if (!worker->task)
			record_root(worker);
		record_detail(worker, WIRE_GROUP, 0);
	}
	record_id outer = ompt_thread.wrapped;

	if (worker && gomp_of(callsite)->head.other)
		ompt_thread.wrapped = worker->task;
	gomp_of(callsite)->GOMP_taskgroup_start();
	ompt_thread.wrapped = outer;
}

/* ---- dependences ---- */

static void depend_put(struct worker *worker, const void *address, enum wire_depend type)
{
	if (!address && type == WIRE_DEPEND_OUT) /* omp_all_memory */
		type = WIRE_DEPEND_ALL;
	record_detail(worker, WIRE_DEPEND, depend_make((uintptr_t)address, type));
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

void gomp_wait_depend(struct worker *worker, const struct callsite *callsite, void **depend)
{
	record_wait(worker, callsite->site, WIRE_WAIT_DEPEND);
	gomp_depends(worker, depend);
}

void gomp_create_empty(struct worker *worker, const struct callsite *callsite, void **depend)
{
	record_create(worker, callsite->site, WIRE_TASK_EMPTY);
	gomp_depends(worker, depend);
}

WRAP(gomp, gomp_worker(callsite), gomp_await_leave(callsite, worker, 0), gomp_await_return(&stay),
     void, GOMP_taskwait_depend, (void **depend), (depend), gomp_wait_depend, depend);

/* ---- objects ---- */

#define ACQUIRES(result, name, n, lock)                                                            \
	WRAP_GOMP((clock_fence(), stay_resume(&stay)), result, name, n, WAIT_FOR(OBJECT, lock))
#define RELEASES(result, name, n, lock) WAITS(result, name, n, RELEASE(lock))
#define ORDERED OBJECT_ORDERED(gomp_team(callsite))

static void lock_hold(struct worker *worker, const struct callsite *callsite, uintptr_t lock)
{
	if (!worker->task)
		record_root(worker);
	wrap_held(worker, callsite, lock);
}

/* Who fails goes on as if there had been no call, since many call it in a loop. */
#define TRIES(result, name, n)                                                                     \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(gomp, name, NULL);                            \
		struct worker *worker = gomp_worker(callsite);                                     \
		uintptr_t taken = gomp_of(callsite)->name(NAMES(n));                               \
                                                                                                   \
		if (worker && (int)taken)                                                          \
			lock_hold(worker, callsite, a1);                                           \
		return taken;                                                                      \
	}

GOMP_WAITS(CALL_ROW)

/* libomp itself tells which task the event is of. */
WRAP(gomp, gomp_of(callsite)->head.other ? NULL : callsite_worker_inside(callsite),
     stay_keep(worker), stay_resume(&stay), void, omp_fulfill_event, (void *event), (event),
     wrap_signal, (uintptr_t)event);

/* ---- cancellation ---- */

bool GOMP_cancel(int which, bool do_cancel)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_cancel, NULL);
	struct worker *worker = gomp_worker(callsite);

	if (worker && worker->task && do_cancel && !gomp_of(callsite)->head.other)
		record_detail(worker, WIRE_CANCEL, (uint64_t)which);
	return gomp_of(callsite)->GOMP_cancel(which, do_cancel);
}

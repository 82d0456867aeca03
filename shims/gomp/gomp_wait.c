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

/* Of libomp, whose task is suspended meanwhile. */
static void *other_back(struct aside *aside, void *returned)
{
	struct worker *worker = worker_self();

	if (omp_aside_close(worker, (struct omp_aside *)aside))
		record_resume(worker, worker->task & ~OMPT_CLOSED);
	return NULL;
}

/* A wait in which tasks run; NULL: it is not recorded. */
static __attribute__((noinline)) struct aside *wait_else(const struct callsite *callsite,
							 enum wire_wait wait)
{
	bool other = gomp_of(callsite)->head.other;
	struct worker *worker = gomp_worker(callsite);
	struct omp_aside *aside =
		worker ? omp_aside_open(worker, other ? other_back : gomp_aside_back) : NULL;

	if (!aside)
		return NULL;
	record_wait(worker, callsite->site, wait);
	if (other)
		worker->task |= OMPT_CLOSED;
	return &aside->head;
}

/* Hot path: nothing is called where the short way will do. */
static inline struct aside *wait_enter(const struct callsite *callsite, enum wire_wait wait)
{
	struct worker *worker = worker_self();
	struct store store = NO_STORE;

	if (__builtin_expect(callsite->site && !callsite->instance->other && worker &&
				     worker->task && omp_aside_is_free(worker),
			     1))
		store = worker_enter(worker, WORKER_INSIDE, 1);
	if (!store.slot)
		return wait_else(callsite, wait);
	worker_fill_now(store.slot, WIRE_WAIT, site_make(callsite->site, wait));
	worker_leave(worker, store, WORKER_OUTSIDE);
	return &omp_aside_take(worker, gomp_aside_back)->head;
}

/* Hot path */
#define WAITS_ASIDE(name, wait)                                                                    \
	void name(void)                                                                            \
	{                                                                                          \
		const struct callsite *callsite = CALLSITE(gomp, name, NULL);                      \
		struct aside *aside = wait_enter(callsite, wait);                                  \
                                                                                                   \
		aside_call(NULL, NULL, NULL, NULL, aside,                                          \
			   (aside_fn *)(uintptr_t)gomp_of(callsite)->name);                        \
	}

WAITS_ASIDE(GOMP_taskwait, WIRE_WAIT_CHILDREN)
WAITS_ASIDE(GOMP_taskgroup_end, WIRE_WAIT_GROUP)

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

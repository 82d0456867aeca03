/* SPDX-License-Identifier: MIT */
/*
 * shim.c - the shim for the toy runtime, made by shims/HOWTO.md.
 *
 * ABI facts: a task runs from start to end on one thread; a wait runs other tasks on top of the
 * waiting one.  The library calls none of its own entry points.
 *
 * Hot path: toy_create(), task_run() and the wrapper of toy_wait(), 35 lines.
 */
#include "shims/common/pool.h"
#include "shims/common/wrap.h"

#include "preload/poison.h"

struct toy_task;
typedef void (*toy_fn)(void *arg);

#define TOY_FUNCTIONS(F)                                                                           \
	F(struct toy_task *, toy_create, (toy_fn fn, void *arg))                                   \
	F(void, toy_wait, (struct toy_task * task))

/* Asked, not wrapped. */
#define TOY_ASKED(F) F(int, toy_workers, (void))

struct toy {
	struct instance head;
	TOY_FUNCTIONS(CALL_POINTER)
	TOY_ASKED(CALL_POINTER)
};
TOY_FUNCTIONS(CALL_WRAPPER)
enum toy_entry { TOY_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(toy)

/* ---- the runtime ---- */

static void identify(void *instance, void *handle)
{
	struct toy *toy = instance;

	(void)handle;
	toy->head.runtime = record_runtime("libtoy", "1");
	record_runtime_workers(toy->head.runtime, (uint32_t)toy->toy_workers());
}

CALL_RUNTIME(toy, TOY_FUNCTIONS(CALL_DOOR), TOY_FUNCTIONS(CALL_NAME) TOY_ASKED(CALL_NAME),
	     .probe = "toy_create", .library = "libtoy.so", .identify = identify);

/* ---- tasks ---- */

/* The argument that libtoy gets instead of the program's. */
struct birth {
	toy_fn fn; /* overwritten when it is free (pool.h) */
	void *arg;
	record_id id;
};

static struct pool births = { .record_bytes = sizeof(struct birth) };

/* Hot path: runs a task. */
static void task_run(void *arg)
{
	struct birth birth = *(struct birth *)arg;
	struct worker *worker = record_worker();

	if (!worker) {
		birth.fn(birth.arg);
		return;
	}
	pool_give(&births, pool_place(worker, POOL_TOY), worker->index, arg);
	struct stay stay = stay_begin(worker, birth.id);

	birth.fn(birth.arg);
	stay_end(&stay);
}

/* Hot path: a task is created; its address is the name by which it is waited for. */
struct toy_task *toy_create(toy_fn fn, void *arg)
{
	struct callsite *callsite = CALLSITE(toy, toy_create, fn);
	struct worker *worker = callsite_worker_inside(callsite);
	struct birth *birth =
		worker ? pool_take(&births, pool_place(worker, POOL_TOY), worker->index) : NULL;
	struct toy_task *task;

	if (!birth)
		return toy_of(callsite)->toy_create(fn, arg);
	*birth = (struct birth){ fn, arg, record_create(worker, callsite->site, 0) };
	struct stay stay = stay_keep(worker);

	task = toy_of(callsite)->toy_create(task_run, birth);
	stay_resume(&stay);
	record_detail(worker, WIRE_NAME, (uintptr_t)task);
	return task;
}

/* ---- waits ---- */

#ifdef BREAK_WAIT /* check.py finds the trace wrong */
void toy_wait(struct toy_task *task)
{
	toy_of(CALLSITE(toy, toy_wait, NULL))->toy_wait(task);
}
#else
WRAP(toy, callsite_worker_inside(callsite), stay_keep(worker), stay_resume(&stay), void, toy_wait,
	  (struct toy_task * task), (task), wrap_wait_for, WIRE_WAIT_NAMED, (uintptr_t)task);
#endif

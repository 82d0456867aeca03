/* SPDX-License-Identifier: MIT */
/*
 * qth_loop.c - the loops that the library makes tasks of: qt_loop*, qt_loop_balance*,
 * qt_loopaccum_balance* and loop queues.
 *
 * Their tasks are made by the library, by other tasks of its own among them, and are waited for
 * in several ways, by polling mostly [qloop.c].  All of it is recorded as one thing: the tasks
 * belong to a bag, which the caller waits for.  They are of the code and the place that the loop
 * was called with.  Our body is between the library's and the program's, and ends the task.
 */
#include "shims/common/memo.h"
#include "shims/qth/qth.h"

#include "preload/poison.h"

QTH_IN_LOOP(CALL_WRAPPER)

/* Called where the loop's machinery is about to block. */
void qth_loop_waits(struct worker *worker)
{
	struct qth_place *place = qth_place_of(worker);
	struct qth_loop *loop = place->loop;

	place->loop = NULL;
	if (worker->task != loop->caller) { /* it has created tasks, and has nothing else to do */
		record_end(worker, 0);
		return;
	}
	record_wait_for(worker, loop->site, WIRE_WAIT_BAG, loop->bag);
	worker->task = 0;
	loop->waiting = true;
}

static void loop_open(struct qth_loop *loop, struct worker *worker, uint64_t bag, uint32_t site)
{
	if (!worker->task)
		record_root(worker);
	loop->bag = bag;
	loop->caller = worker->task;
	loop->site = site;
	qth_place_of(worker)->loop = loop;
	qth_place_of(worker)->yielded = false;
}

/* The loop is done, though its caller may not have had to wait for it. */
static void loop_close(struct qth_loop *loop)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	if (!loop->waiting)
		qth_loop_waits(worker);
	qth_place_of(worker)->loop = NULL;
	stay_resume_from(worker, NULL, loop->caller);
}

/* Before a loop's body: whether its task runs and is to end with it. */
static inline bool body_opens(const struct qth_loop *loop)
{
	struct worker *worker = worker_self();

	if (!worker || qth_place_of(worker)->loop != loop)
		return false;
	qth_place_of(worker)->loop = NULL;
	return true;
}

static void loop_body(size_t start, size_t stop, void *arg)
{
	const struct qth_loop *loop = arg;
	bool recorded = body_opens(loop);

	loop->each(start, stop, loop->arg);
	if (recorded)
		stay_end_moved();
}

static void accum_body(size_t start, size_t stop, void *arg, void *out)
{
	const struct qth_loop *loop = arg;
	bool recorded = body_opens(loop);

	loop->accum(start, stop, loop->arg, out);
	if (recorded)
		stay_end_moved();
}

#define LOOP(result, name, parameters)                                                             \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(qth, name, fn);                               \
		struct worker *worker = QTH_WORKER(callsite);                                      \
		struct qth_loop loop = { .each = fn, .arg = arg };                                 \
                                                                                                   \
		if (!worker) {                                                                     \
			qth_of(callsite)->name(start, stop, fn, arg);                              \
			return;                                                                    \
		}                                                                                  \
		loop_open(&loop, worker, (uintptr_t)&loop, callsite->site);                        \
		qth_of(callsite)->name(start, stop, loop_body, &loop);                             \
		loop_close(&loop);                                                                 \
	}

#define ACCUM(result, name, parameters)                                                            \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(qth, name, fn);                               \
		struct worker *worker = QTH_WORKER(callsite);                                      \
		struct qth_loop loop = { .accum = fn, .arg = arg };                                \
                                                                                                   \
		if (!worker) {                                                                     \
			qth_of(callsite)->name(start, stop, bytes, out, fn, arg, combine);         \
			return;                                                                    \
		}                                                                                  \
		loop_open(&loop, worker, (uintptr_t)&loop, callsite->site);                        \
		qth_of(callsite)->name(start, stop, bytes, out, accum_body, &loop, combine);       \
		loop_close(&loop);                                                                 \
	}

/* ---- loop queues ---- */

/*
 * A queue's tasks call its body once a portion, and are made by one who does not know it: the
 * queue is known by its site from its creation.
 */
static struct memo queues;

static uint32_t queue_site(void *queue, const struct callsite *callsite, bool stays)
{
	uint64_t site = memo_find(&queues, (uintptr_t)queue, stays);

	return site ? (uint32_t)site : callsite->site;
}

void *qt_loop_queue_create(int type, QTH_RANGE, size_t step, qth_loop_fn fn, void *arg)
{
	struct callsite *callsite = CALLSITE(qth, qt_loop_queue_create, fn);
	struct worker *worker = QTH_WORKER(callsite);
	void *queue = qth_of(callsite)->qt_loop_queue_create(type, start, stop, step, fn, arg);

	if (worker && queue)
		memo_put(&queues, (uintptr_t)queue, callsite->site);
	return queue;
}

#define QUEUE(result, name, parameters, arguments, stays, after)                                   \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(qth, name, NULL);                             \
		struct worker *worker = QTH_WORKER(callsite);                                      \
		struct qth_loop loop = { .flat = true };                                           \
                                                                                                   \
		if (!worker) {                                                                     \
			qth_of(callsite)->name arguments;                                          \
			return;                                                                    \
		}                                                                                  \
		loop_open(&loop, worker, (uintptr_t)queue, queue_site(queue, callsite, stays));    \
		qth_of(callsite)->name arguments;                                                  \
		after;                                                                             \
	}

QTH_LOOPS(CALL_MADE)

/* SPDX-License-Identifier: MIT */
/*
 * qth_wait.c - places where a task waits or lets others go on: full/empty words, syncvars, sincs,
 * barriers, queues, locks; and where it gives up its worker.
 *
 * A word is two objects to wait for: its address, signalled by who fills it, and EMPTIED, by who
 * empties it.  Who empties it holds it as a lock, until it is full again; likewise, who fills it
 * holds EMPTIED.  Both are signalled as the call begins, or those released by it could seem to go
 * on before.  That is early only if the call has to block; and then it is right all the same:
 * who blocks to fill a word fills it in the very moment in which another task empties it, and
 * nobody can have waited for it to be full until then; and the other way round.
 */
#include "shims/qth/qth.h"

#include "preload/poison.h"

QTH_YIELDS(CALL_WRAPPER)

#define EMPTIED(at) ((at) | 1u)

/* ---- how a task is inside the library ---- */

/* Hot path: the worker of a task that waits; NULL for a loop's machinery, which has its own way. */
static inline struct worker *waiter(struct worker *worker)
{
	if (worker && __builtin_expect(qth_place_of(worker)->loop != NULL, 0)) {
		qth_loop_waits(worker);
		return NULL;
	}
	return worker;
}

/* The library's own fills and empties are ignored, as its own waits are. */
static inline struct worker *signaller(const struct callsite *callsite, void *return_address)
{
	struct worker *worker = qth_worker(callsite, return_address);

	return worker && qth_internal(callsite, return_address) ? NULL : worker;
}

#define WRAP_QTH(on, after, ...) WRAP_ROW(qth, on, qth_leave(worker), after, __VA_ARGS__)
#define WAITER waiter(QTH_WORKER(callsite))
#define WAITS(...) WRAP_QTH(WAITER, qth_return(&stay), __VA_ARGS__)
#define LOCKS(...) WRAP_QTH(WAITER, (clock_fence(), qth_return(&stay)), __VA_ARGS__)
#define TRIES(...) WRAP_QTH(WAITER, (wrap_tried((int)returned), qth_return(&stay)), __VA_ARGS__)
#define SIGNALS(...)                                                                               \
	WRAP_QTH(signaller(callsite, __builtin_return_address(0)), qth_return(&stay), __VA_ARGS__)

/* ---- words and syncvars ---- */

/* Hot path: the task signals one object and waits for another: two events, one reading. */
static inline void signal_and_wait(struct worker *worker, const struct callsite *callsite,
				   uint64_t signalled, uint64_t name)
{
	uint64_t ticks;

	if (!worker->task)
		record_root(worker);
	ticks = record_ticks(worker);
	record_event_at(worker, ticks, WIRE_SIGNAL, signalled);
	record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	record_event_at(worker, ticks, WIRE_WAIT, site_make(callsite->site, WIRE_WAIT_WORD));
	record_detail(worker, WIRE_OBJECT, name);
}

static inline void word_empty(struct worker *worker, const struct callsite *callsite, word at)
{
	signal_and_wait(worker, callsite, EMPTIED(at), at);
}

static inline void word_fill(struct worker *worker, const struct callsite *callsite, word at)
{
	signal_and_wait(worker, callsite, at, EMPTIED(at));
}

/* Two that the library calls when a task has returned, too, with the word to fill. */
static inline struct worker *filler(struct worker *worker, word at)
{
	if (!worker)
		qth_team_fills(at);
	return waiter(worker);
}

#define FILLS(...) WRAP_QTH(filler(QTH_WORKER(callsite), a1), qth_return(&stay), __VA_ARGS__)

QTH_IN_WAIT(CALL_ROW)

/* ---- giving up the worker ---- */

/*
 * A loop of the library's yields after each task that it creates: that is a yield.  One more is
 * because it waits for them.
 */
void qthread_yield_(int how)
{
	struct callsite *callsite = CALLSITE(qth, qthread_yield_, NULL);
	struct worker *worker = QTH_WORKER(callsite);
	struct qth_place *place;

	if (!worker) {
		qth_of(callsite)->qthread_yield_(how);
		return;
	}
	place = qth_place_of(worker);
	if (place->loop && (place->yielded || worker->task == place->loop->caller)) {
		qth_loop_waits(worker);
		qth_of(callsite)->qthread_yield_(how);
		return;
	}
	wrap_yield(worker, callsite);
	struct qth_stay stay = qth_leave(worker);

	stay.yielded = true;
	qth_of(callsite)->qthread_yield_(how);
	qth_return(&stay);
}

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
#include "shims/qth/qth_team.h"

#include "preload/poison.h"

QTH_IN_WAIT(CALL_WRAPPER)

#define EMPTIED(word) ((uintptr_t)(word) | 1u)

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

/* The call is back, from one that does not block: if it failed it waited for nothing. */
static inline void tried(const struct qth_stay *stay, int status)
{
	struct worker *worker = worker_self();

	if (status != 0 && worker)
		record_detail(worker, WIRE_NOWAIT, 0);
	qth_return(stay);
}

#define WRAP_QTH(on, after, ...) WRAP(qth, on, qth_leave(worker), after, __VA_ARGS__)
#define WAITER waiter(QTH_WORKER(callsite))
#define WAITS(...) WRAP_QTH(WAITER, qth_return(&stay), int, __VA_ARGS__)
#define WAITS_VOID(...) WRAP_VOID(qth, WAITER, qth_leave(worker), qth_return(&stay), __VA_ARGS__)
#define LOCKS(...) WRAP_QTH(WAITER, (clock_fence(), qth_return(&stay)), int, __VA_ARGS__)
#define TRIES(...) WRAP_QTH(WAITER, tried(&stay, returned), int, __VA_ARGS__)
#define SIGNALS(result, ...)                                                                       \
	WRAP_QTH(signaller(callsite, __builtin_return_address(0)), qth_return(&stay), result,      \
		 __VA_ARGS__)

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

static inline void wait_full(struct worker *worker, const struct callsite *callsite,
			     const void *word)
{
	wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, (uintptr_t)word);
}

static inline void try_empty(struct worker *worker, const struct callsite *callsite,
			     const void *word)
{
	wrap_wait_for(worker, callsite, WIRE_WAIT_WORD, (uintptr_t)word);
}

static inline void empty(struct worker *worker, const struct callsite *callsite, const void *word)
{
	signal_and_wait(worker, callsite, EMPTIED(word), (uintptr_t)word);
}

static inline void word_fill(struct worker *worker, const struct callsite *callsite,
			     const void *word)
{
	signal_and_wait(worker, callsite, (uintptr_t)word, EMPTIED(word));
}

WAITS(qthread_readFF, (qth_word * to, const qth_word *word), (to, word), wait_full, word);
WAITS(qthread_syncvar_readFF, (uint64_t * to, void *word), (to, word), wait_full, word);
WAITS(qthread_writeFF, (qth_word * word, const qth_word *from), (word, from), wait_full, word);
WAITS(qthread_writeFF_const, (qth_word * word, qth_word from), (word, from), wait_full, word);

LOCKS(qthread_readFE, (qth_word * to, const qth_word *word), (to, word), empty, word);
LOCKS(qthread_syncvar_readFE, (uint64_t * to, void *word), (to, word), empty, word);

WAITS(qthread_writeEF, (qth_word * word, const qth_word *from), (word, from), word_fill, word);
WAITS(qthread_syncvar_writeEF, (void *word, const uint64_t *from), (word, from), word_fill, word);

/* Two that the library calls when a task has returned, too, with the word to fill. */
static inline struct worker *filler(struct worker *worker, const void *word)
{
	if (!worker)
		qth_team_fills(word);
	return waiter(worker);
}

#define FILLS(name, parameters)                                                                    \
	WRAP_QTH(filler(QTH_WORKER(callsite), word), qth_return(&stay), int, name, parameters,     \
		 (word, from), word_fill, word)

FILLS(qthread_writeEF_const, (qth_word * word, qth_word from));
FILLS(qthread_syncvar_writeEF_const, (void *word, uint64_t from));

TRIES(qthread_readFF_nb, (qth_word * to, const qth_word *word), (to, word), wait_full, word);
TRIES(qthread_syncvar_readFF_nb, (uint64_t * to, void *word), (to, word), wait_full, word);
TRIES(qthread_readFE_nb, (qth_word * to, const qth_word *word), (to, word), try_empty, word);
TRIES(qthread_syncvar_readFE_nb, (uint64_t * to, void *word), (to, word), try_empty, word);

#define FULL(word) wrap_signal, (uintptr_t)(word)
#define EMPTY(word) wrap_signal, EMPTIED(word)

SIGNALS(int, qthread_writeEF_nb, (qth_word * word, const qth_word *from), (word, from), FULL(word));
SIGNALS(int, qthread_writeEF_const_nb, (qth_word * word, qth_word from), (word, from), FULL(word));
SIGNALS(int, qthread_syncvar_writeEF_nb, (void *word, const uint64_t *from), (word, from),
	FULL(word));
SIGNALS(int, qthread_syncvar_writeEF_const_nb, (void *word, uint64_t from), (word, from),
	FULL(word));
SIGNALS(int, qthread_writeF, (qth_word * word, const qth_word *from), (word, from), FULL(word));
SIGNALS(int, qthread_writeF_const, (qth_word * word, qth_word from), (word, from), FULL(word));
SIGNALS(int, qthread_syncvar_writeF, (void *word, const uint64_t *from), (word, from), FULL(word));
SIGNALS(int, qthread_syncvar_writeF_const, (void *word, uint64_t from), (word, from), FULL(word));
SIGNALS(int, qthread_fill, (const qth_word *word), (word), FULL(word));
SIGNALS(int, qthread_syncvar_fill, (void *word), (word), FULL(word));
SIGNALS(uint64_t, qthread_syncvar_incrF, (void *word, uint64_t by), (word, by), FULL(word));
SIGNALS(int, qthread_empty, (const qth_word *word), (word), EMPTY(word));
SIGNALS(int, qthread_syncvar_empty, (void *word), (word), EMPTY(word));
SIGNALS(int, qthread_purge, (qth_word * word), (word), EMPTY(word));
SIGNALS(int, qthread_purge_to, (qth_word * word, const qth_word *from), (word, from), EMPTY(word));
SIGNALS(int, qthread_purge_to_const, (qth_word * word, qth_word from), (word, from), EMPTY(word));

/* ---- sincs, barriers, queues, locks ---- */

#define WAIT_FOR(wait, object) wrap_wait_for, WIRE_WAIT_##wait, (uintptr_t)(object)
#define SIGNAL(object) wrap_signal, (uintptr_t)(object)
#define RELEASE(lock) wrap_release, (uintptr_t)(lock)

WAITS_VOID(qt_sinc_submit, (void *sinc, const void *value), (sinc, value), SIGNAL(sinc));
WAITS_VOID(qt_sinc_wait, (void *sinc, void *to), (sinc, to), WAIT_FOR(BAG, sinc));
WAITS_VOID(qt_barrier_enter, (void *barrier), (barrier), WAIT_FOR(BARRIER, barrier));
WAITS_VOID(qt_barrier_enter_id, (void *barrier, size_t id), (barrier, id),
	   WAIT_FOR(BARRIER, barrier));
WAITS(qthread_queue_join, (void *queue), (queue), WAIT_FOR(OBJECT, queue));
WAITS(qthread_queue_release_one, (void *queue), (queue), SIGNAL(queue));
WAITS(qthread_queue_release_all, (void *queue), (queue), SIGNAL(queue));
LOCKS(qthread_lock, (const qth_word *lock), (lock), WAIT_FOR(OBJECT, lock));
WAITS(qthread_unlock, (const qth_word *lock), (lock), RELEASE(lock));
LOCKS(qthread_spinlock_lock, (void *lock), (lock), WAIT_FOR(OBJECT, lock));
WAITS(qthread_spinlock_unlock, (void *lock), (lock), RELEASE(lock));

/* ---- giving up the worker ---- */

WAITS(qthread_migrate_to, (uint16_t shep), (shep), wrap_yield);
/* Code between these two runs on a thread of its own, which is a worker, too. */
WAITS_VOID(qt_begin_blocking_action, (void), (), wrap_yield);
WAITS_VOID(qt_end_blocking_action, (void), (), wrap_yield);

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

/* SPDX-License-Identifier: MIT */
/*
 * qth_wait.c - places where a task waits or lets others go on: full/empty words, syncvars, sincs,
 * barriers, queues, locks; and where it gives up its worker.
 *
 * A word is two objects to wait for: its address, signalled by who fills it, and EMPTIED, by who
 * empties it.  Both are signalled as the call begins, or those released by it could seem to go
 * on before.  That is early only if the call has to block; and then it is right all the same:
 * who blocks to fill a word fills it in the very moment in which another task empties it, and
 * nobody can have waited for it to be full until then; and the other way round.
 */
#include "shims/qth.h"

#include "preload/poison.h"

#define EMPTIED(word) ((uintptr_t)(word) | 1u)

/* Hot path: the task signals one object and waits for another: two events, one reading. */
static inline void signal_and_wait(struct worker *worker, uint32_t site, uint64_t signalled,
				   uint64_t name)
{
	uint64_t ticks;

	if (!worker->task)
		record_root(worker);
	ticks = record_ticks(worker);
	record_event_at(worker, ticks, WIRE_SIGNAL, signalled);
	record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	record_event_at(worker, ticks, WIRE_WAIT, site | (uint64_t)WIRE_WAIT_NAMED << 32);
	record_detail(worker, WIRE_OBJECT, name);
}

/* A wrapper: `ends` ends the strand, and the task goes on when the real function is back. */
#define ENDS_STRAND(result, keep, give, name, parameters, ends, arguments, after, passing)         \
	CALL_EXPORT result name parameters                                                         \
	{                                                                                          \
		struct call *call = QTH_CALL(name, NULL);                                          \
		struct worker *worker = QTH_WORKER(call);                                          \
                                                                                                   \
		if (!worker) {                                                                     \
			passing;                                                                   \
			return qth_of(call)->name arguments;                                       \
		}                                                                                  \
		if (__builtin_expect(qth_place_of(worker)->loop != NULL, 0)) {                     \
			qth_loop_waits(worker);                                                    \
			return qth_of(call)->name arguments;                                       \
		}                                                                                  \
		ends;                                                                              \
		struct qth_self self = qth_leave(worker);                                          \
                                                                                                   \
		keep qth_of(call)->name arguments;                                                 \
		after;                                                                             \
		qth_return(&self);                                                                 \
		give;                                                                              \
	}
#define WAITS(name, parameters, ends, arguments)                                                   \
	ENDS_STRAND(int, int status =, return status, name, parameters, ends, arguments, , )
#define WAITS_VOID(name, parameters, ends, arguments)                                              \
	ENDS_STRAND(void, , return, name, parameters, ends, arguments, , )

/* One that the library calls when a task has returned, with the word to fill. */
#define WAITS_OR_RETURNS(name, parameters, ends, arguments)                                        \
	ENDS_STRAND(int, int status =, return status, name, parameters, ends, arguments, ,         \
		    qth_team_fills(word))

/* ---- words and syncvars ---- */

#define WAIT_FULL(word) record_wait_for(worker, call->site, WIRE_WAIT_NAMED, (uintptr_t)(word))
#define EMPTY_AND_WAIT_FULL(word)                                                                  \
	signal_and_wait(worker, call->site, EMPTIED(word), (uintptr_t)(word))
#define FILL_AND_WAIT_EMPTY(word)                                                                  \
	signal_and_wait(worker, call->site, (uintptr_t)(word), EMPTIED(word))

WAITS(qthread_readFF, (qth_word * to, const qth_word *word), WAIT_FULL(word), (to, word))
WAITS(qthread_syncvar_readFF, (uint64_t * to, void *word), WAIT_FULL(word), (to, word))
WAITS(qthread_writeFF, (qth_word * word, const qth_word *from), WAIT_FULL(word), (word, from))
WAITS(qthread_writeFF_const, (qth_word * word, qth_word from), WAIT_FULL(word), (word, from))

WAITS(qthread_readFE, (qth_word * to, const qth_word *word), EMPTY_AND_WAIT_FULL(word), (to, word))
WAITS(qthread_syncvar_readFE, (uint64_t * to, void *word), EMPTY_AND_WAIT_FULL(word), (to, word))

WAITS(qthread_writeEF, (qth_word * word, const qth_word *from), FILL_AND_WAIT_EMPTY(word),
      (word, from))
WAITS_OR_RETURNS(qthread_writeEF_const, (qth_word * word, qth_word from), FILL_AND_WAIT_EMPTY(word),
		 (word, from))
WAITS(qthread_syncvar_writeEF, (void *word, const uint64_t *from), FILL_AND_WAIT_EMPTY(word),
      (word, from))
WAITS_OR_RETURNS(qthread_syncvar_writeEF_const, (void *word, uint64_t from),
		 FILL_AND_WAIT_EMPTY(word), (word, from))

/* Those that do not block: a failed one waited for nothing. */
#define TRIES(name, parameters, ends, arguments)                                                   \
	ENDS_STRAND(int, int status =, return status, name, parameters, ends, arguments,           \
		    note_failure(status), )

static inline void note_failure(int status)
{
	struct worker *worker = worker_self();

	if (status != 0 && worker)
		record_detail(worker, WIRE_NOWAIT, 0);
}

TRIES(qthread_readFF_nb, (qth_word * to, const qth_word *word), WAIT_FULL(word), (to, word))
TRIES(qthread_syncvar_readFF_nb, (uint64_t * to, void *word), WAIT_FULL(word), (to, word))
TRIES(qthread_readFE_nb, (qth_word * to, const qth_word *word), WAIT_FULL(word), (to, word))
TRIES(qthread_syncvar_readFE_nb, (uint64_t * to, void *word), WAIT_FULL(word), (to, word))

/* What the library fills and empties itself is of no interest: those of its own waits are not. */
#define SIGNALS(result, name, parameters, object, arguments)                                       \
	CALL_EXPORT result name parameters                                                         \
	{                                                                                          \
		struct call *call = QTH_CALL(name, NULL);                                          \
		struct worker *worker = QTH_WORKER(call);                                          \
                                                                                                   \
		if (!worker || qth_internal(call, __builtin_return_address(0)))                    \
			return qth_of(call)->name arguments;                                       \
		record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)(object));                       \
		struct qth_self self = qth_leave(worker);                                          \
		result value = qth_of(call)->name arguments;                                       \
                                                                                                   \
		qth_return(&self);                                                                 \
		return value;                                                                      \
	}

SIGNALS(int, qthread_writeEF_nb, (qth_word * word, const qth_word *from), word, (word, from))
SIGNALS(int, qthread_writeEF_const_nb, (qth_word * word, qth_word from), word, (word, from))
SIGNALS(int, qthread_syncvar_writeEF_nb, (void *word, const uint64_t *from), word, (word, from))
SIGNALS(int, qthread_syncvar_writeEF_const_nb, (void *word, uint64_t from), word, (word, from))
SIGNALS(int, qthread_writeF, (qth_word * word, const qth_word *from), word, (word, from))
SIGNALS(int, qthread_writeF_const, (qth_word * word, qth_word from), word, (word, from))
SIGNALS(int, qthread_syncvar_writeF, (void *word, const uint64_t *from), word, (word, from))
SIGNALS(int, qthread_syncvar_writeF_const, (void *word, uint64_t from), word, (word, from))
SIGNALS(int, qthread_fill, (const qth_word *word), word, (word))
SIGNALS(int, qthread_syncvar_fill, (void *word), word, (word))
SIGNALS(uint64_t, qthread_syncvar_incrF, (void *word, uint64_t by), word, (word, by))
SIGNALS(int, qthread_empty, (const qth_word *word), EMPTIED(word), (word))
SIGNALS(int, qthread_syncvar_empty, (void *word), EMPTIED(word), (word))
SIGNALS(int, qthread_purge, (qth_word * word), EMPTIED(word), (word))
SIGNALS(int, qthread_purge_to, (qth_word * word, const qth_word *from), EMPTIED(word), (word, from))
SIGNALS(int, qthread_purge_to_const, (qth_word * word, qth_word from), EMPTIED(word), (word, from))

/* ---- sincs, barriers, queues, locks ---- */

#define WAIT_FOR(wait, object)                                                                     \
	record_wait_for(worker, call->site, WIRE_WAIT_##wait, (uintptr_t)(object))
#define SIGNAL(object) record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)(object))

WAITS_VOID(qt_sinc_submit, (void *sinc, const void *value), SIGNAL(sinc), (sinc, value))
WAITS_VOID(qt_sinc_wait, (void *sinc, void *to), WAIT_FOR(BAG, sinc), (sinc, to))
WAITS_VOID(qt_barrier_enter, (void *barrier), WAIT_FOR(BARRIER, barrier), (barrier))
WAITS_VOID(qt_barrier_enter_id, (void *barrier, size_t id), WAIT_FOR(BARRIER, barrier),
	   (barrier, id))
WAITS(qthread_queue_join, (void *queue), WAIT_FOR(OBJECT, queue), (queue))
WAITS(qthread_queue_release_one, (void *queue), SIGNAL(queue), (queue))
WAITS(qthread_queue_release_all, (void *queue), SIGNAL(queue), (queue))
WAITS(qthread_lock, (const qth_word *lock), WAIT_FOR(OBJECT, lock), (lock))
WAITS(qthread_unlock, (const qth_word *lock), SIGNAL(lock), (lock))
WAITS(qthread_spinlock_lock, (void *lock), WAIT_FOR(OBJECT, lock), (lock))
WAITS(qthread_spinlock_unlock, (void *lock), SIGNAL(lock), (lock))

/* ---- giving up the worker ---- */

#define YIELD record_end_strand(worker, WIRE_YIELD, call->site)

WAITS(qthread_migrate_to, (uint16_t shep), YIELD, (shep))
/* What is between these two runs on a thread of its own, which is a worker, too. */
WAITS_VOID(qt_begin_blocking_action, (void), YIELD, ())
WAITS_VOID(qt_end_blocking_action, (void), YIELD, ())

/*
 * A loop of the library's yields after each task that it creates: that is a yield.  One more is
 * because it waits for them.
 */
CALL_EXPORT void qthread_yield_(int how)
{
	struct call *call = QTH_CALL(qthread_yield_, NULL);
	struct worker *worker = QTH_WORKER(call);
	struct qth_place *place;

	if (!worker) {
		qth_of(call)->qthread_yield_(how);
		return;
	}
	place = qth_place_of(worker);
	if (place->loop && (place->yielded || worker->task == place->loop->caller)) {
		qth_loop_waits(worker);
		qth_of(call)->qthread_yield_(how);
		return;
	}
	YIELD;
	struct qth_self self = qth_leave(worker);

	self.yielded = true;
	qth_of(call)->qthread_yield_(how);
	qth_return(&self);
}

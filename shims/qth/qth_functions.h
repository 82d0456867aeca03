/* SPDX-License-Identifier: MIT */
/*
 * qth_functions.h - the entry points of Qthreads that are wrapped, with their prototypes in 1.23.
 *
 * A full/empty word, a syncvar and a sinc are nothing but addresses here.  Some functions are
 * newer than 1.10, some are gone since: what an instance lacks is NULL, and nobody calls it there.
 * [qthread.h, qloop.h, sinc.h, barrier.h]
 */
#pragma once

#define QTH_TASK qth_fn fn, const void *arg
#define QTH_RET QTH_TASK, void *ret
#define QTH_COPIED QTH_TASK, size_t bytes, void *ret
#define QTH_RANGE size_t start, size_t stop
#define QTH_LOOP QTH_RANGE, qth_loop_fn fn, void *arg
#define QTH_ACCUM                                                                                  \
	QTH_RANGE, size_t bytes, void *out, qth_accum_fn fn, void *arg, qth_combine_fn combine

#define QTH_IN_QTH(F)                                                                              \
	/* the library */                                                                          \
	F(int, qthread_initialize, (void))                                                         \
	F(int, qthread_init, (uint16_t n_shepherds))                                               \
	F(void, qthread_finalize, (void))

/* clang-format off */
/* Behind the parameters: of struct spawn what is not among them, or has no name of its own. */
#define QTH_IN_TASK(F) \
	F(int, qthread_spawn, \
	  (QTH_TASK, size_t bytes, void *ret, size_t n, void *preconds, uint16_t shep, \
	   unsigned flags), SPAWNS, .bytes = bytes, .n = n, .preconds = preconds, .shep = shep, \
	  .flags = flags) \
	F(int, qthread_fork, (QTH_RET), SPAWNS, .shep = NO_SHEPHERD) \
	F(int, qthread_fork_net, (QTH_RET), SPAWNS, .shep = NO_SHEPHERD, .flags = QTH_NETWORK) \
	F(int, qthread_fork_to, (QTH_RET, uint16_t shep), SPAWNS, .shep = shep) \
	F(int, qthread_fork_to_local_priority, (QTH_RET, uint16_t shep), \
	  SPAWNS, .shep = shep, .flags = QTH_LOCAL_PRIORITY) \
	F(int, qthread_fork_syncvar, (QTH_RET), \
	  SPAWNS, .shep = NO_SHEPHERD, .flags = QTH_RET_SYNCVAR) \
	F(int, qthread_fork_syncvar_to, (QTH_RET, uint16_t shep), \
	  SPAWNS, .shep = shep, .flags = QTH_RET_SYNCVAR) \
	F(int, qthread_fork_copyargs, (QTH_COPIED), \
	  SPAWNS, .bytes = bytes, .shep = NO_SHEPHERD) \
	F(int, qthread_fork_copyargs_to, (QTH_COPIED, uint16_t shep), \
	  SPAWNS, .bytes = bytes, .shep = shep) \
	F(int, qthread_fork_syncvar_copyargs, (QTH_COPIED), \
	  SPAWNS, .bytes = bytes, .shep = NO_SHEPHERD, .flags = QTH_RET_SYNCVAR) \
	F(int, qthread_fork_syncvar_copyargs_simple, (QTH_COPIED), \
	  SPAWNS, .bytes = bytes, .shep = NO_SHEPHERD, .flags = QTH_RET_SYNCVAR | QTH_SIMPLE) \
	/* these take the words that are to be full one by one, or -n and an array */ \
	F(int, qthread_fork_precond, (QTH_RET, int n, ...), SPAWNS_AFTER, .shep = NO_SHEPHERD) \
	F(int, qthread_fork_precond_simple, (QTH_RET, int n, ...), \
	  SPAWNS_AFTER, .shep = NO_SHEPHERD, .flags = QTH_SIMPLE) \
	F(int, qthread_fork_precond_to, (QTH_RET, uint16_t shep, int n, ...), \
	  SPAWNS_AFTER, .shep = shep) \
	F(int, qthread_fork_copyargs_precond, (QTH_COPIED, int n, ...), \
	  SPAWNS_AFTER, .bytes = bytes, .shep = NO_SHEPHERD, .flags = QTH_RET_SYNCVAR)

#define QTH_IN_WAIT(F) \
	/* full/empty words: what is waited for, and what signalled */ \
	ROW(F, WAITS, qthread_readFF, 2, WAIT_FOR(NAMED, a2)) \
	ROW(F, LOCKS, qthread_readFE, 2, word_empty, a2) \
	ROW(F, TRIES, qthread_readFF_nb, 2, WAIT_FOR(NAMED, a2)) \
	ROW(F, TRIES, qthread_readFE_nb, 2, WAIT_FOR(WORD, a2)) \
	ROW(F, WAITS, qthread_writeEF, 2, word_fill, a1) \
	ROW(F, FILLS, qthread_writeEF_const, 2, word_fill, a1) \
	ROW(F, SIGNALS, qthread_writeEF_nb, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_writeEF_const_nb, 2, SIGNAL(a1)) \
	ROW(F, WAITS, qthread_writeFF, 2, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, qthread_writeFF_const, 2, WAIT_FOR(NAMED, a1)) \
	ROW(F, SIGNALS, qthread_writeF, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_writeF_const, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_fill, 1, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_empty, 1, SIGNAL(EMPTIED(a1))) \
	ROW(F, SIGNALS, qthread_purge, 1, SIGNAL(EMPTIED(a1))) \
	ROW(F, SIGNALS, qthread_purge_to, 2, SIGNAL(EMPTIED(a1))) \
	ROW(F, SIGNALS, qthread_purge_to_const, 2, SIGNAL(EMPTIED(a1))) \
	/* syncvars */ \
	ROW(F, WAITS, qthread_syncvar_readFF, 2, WAIT_FOR(NAMED, a2)) \
	ROW(F, LOCKS, qthread_syncvar_readFE, 2, word_empty, a2) \
	ROW(F, TRIES, qthread_syncvar_readFF_nb, 2, WAIT_FOR(NAMED, a2)) \
	ROW(F, TRIES, qthread_syncvar_readFE_nb, 2, WAIT_FOR(WORD, a2)) \
	ROW(F, WAITS, qthread_syncvar_writeEF, 2, word_fill, a1) \
	ROW(F, FILLS, qthread_syncvar_writeEF_const, 2, word_fill, a1) \
	ROW(F, SIGNALS, qthread_syncvar_writeEF_nb, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_syncvar_writeEF_const_nb, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_syncvar_writeF, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_syncvar_writeF_const, 2, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_syncvar_fill, 1, SIGNAL(a1)) \
	ROW(F, SIGNALS, qthread_syncvar_empty, 1, SIGNAL(EMPTIED(a1))) \
	ROW(F, SIGNALS, qthread_syncvar_incrF, 2, SIGNAL(a1)) \
	/* sincs, barriers, queues, locks */ \
	ROW_VOID(F, WAITS, qt_sinc_submit, 2, SIGNAL(a1)) \
	ROW_VOID(F, WAITS, qt_sinc_wait, 2, WAIT_FOR(BAG, a1)) \
	ROW_VOID(F, WAITS, qt_barrier_enter, 1, WAIT_FOR(BARRIER, a1)) \
	ROW_VOID(F, WAITS, qt_barrier_enter_id, 2, WAIT_FOR(BARRIER, a1)) \
	ROW(F, WAITS, qthread_queue_join, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, qthread_queue_release_one, 1, SIGNAL(a1)) \
	ROW(F, WAITS, qthread_queue_release_all, 1, SIGNAL(a1)) \
	ROW(F, LOCKS, qthread_lock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, qthread_unlock, 1, RELEASE(a1)) \
	ROW(F, LOCKS, qthread_spinlock_lock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, qthread_spinlock_unlock, 1, RELEASE(a1)) \
	/* giving up the worker: between the last two, code runs on a thread of its own */ \
	ROW(F, WAITS, qthread_migrate_to, 1, wrap_yield) \
	ROW_VOID(F, WAITS, qt_begin_blocking_action, 0, wrap_yield) \
	ROW_VOID(F, WAITS, qt_end_blocking_action, 0, wrap_yield)
/* clang-format on */
#define QTH_YIELDS(F) F(void, qthread_yield_, (int how))

/* clang-format off */
#define QTH_LOOPS(F) \
	F(void, qt_loop, (QTH_LOOP), LOOP) \
	F(void, qt_loop_simple, (QTH_LOOP), LOOP) \
	F(void, qt_loop_sv, (QTH_LOOP), LOOP) \
	F(void, qt_loop_dc, (QTH_LOOP), LOOP) \
	F(void, qt_loop_aligned, (QTH_LOOP), LOOP) \
	F(void, qt_loop_sinc, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance_simple, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance_sv, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance_dc, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance_aligned, (QTH_LOOP), LOOP) \
	F(void, qt_loop_balance_sinc, (QTH_LOOP), LOOP) \
	F(void, qt_loopaccum_balance, (QTH_ACCUM), ACCUM) \
	F(void, qt_loopaccum_balance_sv, (QTH_ACCUM), ACCUM) \
	F(void, qt_loopaccum_balance_dc, (QTH_ACCUM), ACCUM) \
	F(void, qt_loopaccum_balance_sinc, (QTH_ACCUM), ACCUM) \
	F(void, qt_loop_queue_run, (void *queue), QUEUE, (queue), false, loop_close(&loop)) \
	F(void, qt_loop_queue_run_there, (void *queue, uint16_t shep), \
	  QUEUE, (queue, shep), false, loop_close(&loop)) \
	/* nobody waits for it */ \
	F(void, qt_loop_queue_addworker, (void *queue, uint16_t shep), \
	  QUEUE, (queue, shep), true, qth_place_of(worker)->loop = NULL)
/* clang-format on */
#define QTH_IN_LOOP(F)                                                                             \
	F(void *, qt_loop_queue_create,                                                            \
	  (int type, QTH_RANGE, size_t step, qth_loop_fn fn, void *arg))

#define QTH_FUNCTIONS(F)                                                                           \
	QTH_IN_QTH(F) QTH_IN_TASK(F) QTH_IN_WAIT(F) QTH_YIELDS(F) QTH_LOOPS(F) QTH_IN_LOOP(F)

/* Asked, not wrapped. */
#define QTH_ASKED(F) F(uint16_t, qthread_num_workers, (void))

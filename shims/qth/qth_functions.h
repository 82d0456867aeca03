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
#define QTH_RANGE size_t start, size_t stop
#define QTH_LOOP QTH_RANGE, qth_loop_fn fn, void *arg
#define QTH_ACCUM                                                                                  \
	QTH_RANGE, size_t bytes, void *out, qth_accum_fn fn, void *arg, qth_combine_fn combine

#define QTH_IN_QTH(F)                                                                              \
	/* the library */                                                                          \
	F(int, qthread_initialize, (void))                                                         \
	F(int, qthread_init, (uint16_t n_shepherds))                                               \
	F(void, qthread_finalize, (void))

#define QTH_IN_TASK(F)                                                                             \
	/* tasks */                                                                                \
	F(int, qthread_spawn,                                                                      \
	  (QTH_TASK, size_t bytes, void *ret, size_t n, void *preconds, uint16_t shep,             \
	   unsigned flags))                                                                        \
	F(int, qthread_fork, (QTH_TASK, void *ret))                                                \
	F(int, qthread_fork_net, (QTH_TASK, void *ret))                                            \
	F(int, qthread_fork_to, (QTH_TASK, void *ret, uint16_t shep))                              \
	F(int, qthread_fork_to_local_priority, (QTH_TASK, void *ret, uint16_t shep))               \
	F(int, qthread_fork_syncvar, (QTH_TASK, void *ret))                                        \
	F(int, qthread_fork_syncvar_to, (QTH_TASK, void *ret, uint16_t shep))                      \
	F(int, qthread_fork_copyargs, (QTH_TASK, size_t bytes, void *ret))                         \
	F(int, qthread_fork_copyargs_to, (QTH_TASK, size_t bytes, void *ret, uint16_t shep))       \
	F(int, qthread_fork_syncvar_copyargs, (QTH_TASK, size_t bytes, void *ret))                 \
	F(int, qthread_fork_syncvar_copyargs_simple, (QTH_TASK, size_t bytes, void *ret))          \
	F(int, qthread_fork_precond, (QTH_TASK, void *ret, int n, ...))                            \
	F(int, qthread_fork_precond_simple, (QTH_TASK, void *ret, int n, ...))                     \
	F(int, qthread_fork_precond_to, (QTH_TASK, void *ret, uint16_t shep, int n, ...))          \
	F(int, qthread_fork_copyargs_precond, (QTH_TASK, size_t bytes, void *ret, int n, ...))

#define QTH_IN_WAIT(F)                                                                             \
	/* full/empty words */                                                                     \
	F(int, qthread_readFF, (qth_word * to, const qth_word *word))                              \
	F(int, qthread_readFE, (qth_word * to, const qth_word *word))                              \
	F(int, qthread_readFF_nb, (qth_word * to, const qth_word *word))                           \
	F(int, qthread_readFE_nb, (qth_word * to, const qth_word *word))                           \
	F(int, qthread_writeEF, (qth_word * word, const qth_word *from))                           \
	F(int, qthread_writeEF_const, (qth_word * word, qth_word from))                            \
	F(int, qthread_writeEF_nb, (qth_word * word, const qth_word *from))                        \
	F(int, qthread_writeEF_const_nb, (qth_word * word, qth_word from))                         \
	F(int, qthread_writeFF, (qth_word * word, const qth_word *from))                           \
	F(int, qthread_writeFF_const, (qth_word * word, qth_word from))                            \
	F(int, qthread_writeF, (qth_word * word, const qth_word *from))                            \
	F(int, qthread_writeF_const, (qth_word * word, qth_word from))                             \
	F(int, qthread_fill, (const qth_word *word))                                               \
	F(int, qthread_empty, (const qth_word *word))                                              \
	F(int, qthread_purge, (qth_word * word))                                                   \
	F(int, qthread_purge_to, (qth_word * word, const qth_word *from))                          \
	F(int, qthread_purge_to_const, (qth_word * word, qth_word from))                           \
	/* syncvars */                                                                             \
	F(int, qthread_syncvar_readFF, (uint64_t * to, void *word))                                \
	F(int, qthread_syncvar_readFE, (uint64_t * to, void *word))                                \
	F(int, qthread_syncvar_readFF_nb, (uint64_t * to, void *word))                             \
	F(int, qthread_syncvar_readFE_nb, (uint64_t * to, void *word))                             \
	F(int, qthread_syncvar_writeEF, (void *word, const uint64_t *from))                        \
	F(int, qthread_syncvar_writeEF_const, (void *word, uint64_t from))                         \
	F(int, qthread_syncvar_writeEF_nb, (void *word, const uint64_t *from))                     \
	F(int, qthread_syncvar_writeEF_const_nb, (void *word, uint64_t from))                      \
	F(int, qthread_syncvar_writeF, (void *word, const uint64_t *from))                         \
	F(int, qthread_syncvar_writeF_const, (void *word, uint64_t from))                          \
	F(int, qthread_syncvar_fill, (void *word))                                                 \
	F(int, qthread_syncvar_empty, (void *word))                                                \
	F(uint64_t, qthread_syncvar_incrF, (void *word, uint64_t by))                              \
	/* sincs, barriers, queues, locks */                                                       \
	F(void, qt_sinc_submit, (void *sinc, const void *value))                                   \
	F(void, qt_sinc_wait, (void *sinc, void *to))                                              \
	F(void, qt_barrier_enter, (void *barrier))                                                 \
	F(void, qt_barrier_enter_id, (void *barrier, size_t id))                                   \
	F(int, qthread_queue_join, (void *queue))                                                  \
	F(int, qthread_queue_release_one, (void *queue))                                           \
	F(int, qthread_queue_release_all, (void *queue))                                           \
	F(int, qthread_lock, (const qth_word *lock))                                               \
	F(int, qthread_unlock, (const qth_word *lock))                                             \
	F(int, qthread_spinlock_lock, (void *lock))                                                \
	F(int, qthread_spinlock_unlock, (void *lock))                                              \
	/* giving up the worker */                                                                 \
	F(void, qthread_yield_, (int how))                                                         \
	F(int, qthread_migrate_to, (uint16_t shep))                                                \
	F(void, qt_begin_blocking_action, (void))                                                  \
	F(void, qt_end_blocking_action, (void))

#define QTH_IN_LOOP(F)                                                                             \
	/* loops */                                                                                \
	F(void, qt_loop, (QTH_LOOP))                                                               \
	F(void, qt_loop_simple, (QTH_LOOP))                                                        \
	F(void, qt_loop_sv, (QTH_LOOP))                                                            \
	F(void, qt_loop_dc, (QTH_LOOP))                                                            \
	F(void, qt_loop_aligned, (QTH_LOOP))                                                       \
	F(void, qt_loop_sinc, (QTH_LOOP))                                                          \
	F(void, qt_loop_balance, (QTH_LOOP))                                                       \
	F(void, qt_loop_balance_simple, (QTH_LOOP))                                                \
	F(void, qt_loop_balance_sv, (QTH_LOOP))                                                    \
	F(void, qt_loop_balance_dc, (QTH_LOOP))                                                    \
	F(void, qt_loop_balance_aligned, (QTH_LOOP))                                               \
	F(void, qt_loop_balance_sinc, (QTH_LOOP))                                                  \
	F(void, qt_loopaccum_balance, (QTH_ACCUM))                                                 \
	F(void, qt_loopaccum_balance_sv, (QTH_ACCUM))                                              \
	F(void, qt_loopaccum_balance_dc, (QTH_ACCUM))                                              \
	F(void, qt_loopaccum_balance_sinc, (QTH_ACCUM))                                            \
	F(void *, qt_loop_queue_create,                                                            \
	  (int type, QTH_RANGE, size_t step, qth_loop_fn fn, void *arg))                           \
	F(void, qt_loop_queue_run, (void *queue))                                                  \
	F(void, qt_loop_queue_run_there, (void *queue, uint16_t shep))                             \
	F(void, qt_loop_queue_addworker, (void *queue, uint16_t shep))

#define QTH_FUNCTIONS(F) QTH_IN_QTH(F) QTH_IN_TASK(F) QTH_IN_WAIT(F) QTH_IN_LOOP(F)

/* Asked, not wrapped. */
#define QTH_ASKED(F) F(uint16_t, qthread_num_workers, (void))

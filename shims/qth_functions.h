/* SPDX-License-Identifier: MIT */
/*
 * qth_functions.h - the entry points of Qthreads that are wrapped, with their prototypes in 1.23.
 *
 * A full/empty word, a syncvar and a sinc are nothing but addresses here.  Some functions are
 * newer than 1.10, some are gone since: what a copy lacks is NULL, and nobody calls it there.
 * [qthread.h, qloop.h, sinc.h, barrier.h]
 */
#pragma once

#define QTH_TASK qth_fn fn, const void *arg
#define QTH_RANGE size_t start, size_t stop
#define QTH_LOOP QTH_RANGE, qth_loop_fn fn, void *arg
#define QTH_ACCUM                                                                                  \
	QTH_RANGE, size_t bytes, void *out, qth_accum_fn fn, void *arg, qth_combine_fn combine

#define QTH_FUNCTIONS                                                                              \
	/* the library */                                                                          \
	QTH_FUNCTION(int, qthread_initialize, (void))                                              \
	QTH_FUNCTION(int, qthread_init, (uint16_t n_shepherds))                                    \
	QTH_FUNCTION(void, qthread_finalize, (void))                                               \
	/* tasks */                                                                                \
	QTH_FUNCTION(int, qthread_spawn,                                                           \
		     (QTH_TASK, size_t bytes, void *ret, size_t n, void *preconds, uint16_t shep,  \
		      unsigned flags))                                                             \
	QTH_FUNCTION(int, qthread_fork, (QTH_TASK, void *ret))                                     \
	QTH_FUNCTION(int, qthread_fork_net, (QTH_TASK, void *ret))                                 \
	QTH_FUNCTION(int, qthread_fork_to, (QTH_TASK, void *ret, uint16_t shep))                   \
	QTH_FUNCTION(int, qthread_fork_to_local_priority, (QTH_TASK, void *ret, uint16_t shep))    \
	QTH_FUNCTION(int, qthread_fork_syncvar, (QTH_TASK, void *ret))                             \
	QTH_FUNCTION(int, qthread_fork_syncvar_to, (QTH_TASK, void *ret, uint16_t shep))           \
	QTH_FUNCTION(int, qthread_fork_copyargs, (QTH_TASK, size_t bytes, void *ret))              \
	QTH_FUNCTION(int, qthread_fork_copyargs_to,                                                \
		     (QTH_TASK, size_t bytes, void *ret, uint16_t shep))                           \
	QTH_FUNCTION(int, qthread_fork_syncvar_copyargs, (QTH_TASK, size_t bytes, void *ret))      \
	QTH_FUNCTION(int, qthread_fork_syncvar_copyargs_simple,                                    \
		     (QTH_TASK, size_t bytes, void *ret))                                          \
	QTH_FUNCTION(int, qthread_fork_precond, (QTH_TASK, void *ret, int n, ...))                 \
	QTH_FUNCTION(int, qthread_fork_precond_simple, (QTH_TASK, void *ret, int n, ...))          \
	QTH_FUNCTION(int, qthread_fork_precond_to,                                                 \
		     (QTH_TASK, void *ret, uint16_t shep, int n, ...))                             \
	QTH_FUNCTION(int, qthread_fork_copyargs_precond,                                           \
		     (QTH_TASK, size_t bytes, void *ret, int n, ...))                              \
	/* full/empty words */                                                                     \
	QTH_FUNCTION(int, qthread_readFF, (qth_word * to, const qth_word *word))                   \
	QTH_FUNCTION(int, qthread_readFE, (qth_word * to, const qth_word *word))                   \
	QTH_FUNCTION(int, qthread_readFF_nb, (qth_word * to, const qth_word *word))                \
	QTH_FUNCTION(int, qthread_readFE_nb, (qth_word * to, const qth_word *word))                \
	QTH_FUNCTION(int, qthread_writeEF, (qth_word * word, const qth_word *from))                \
	QTH_FUNCTION(int, qthread_writeEF_const, (qth_word * word, qth_word from))                 \
	QTH_FUNCTION(int, qthread_writeEF_nb, (qth_word * word, const qth_word *from))             \
	QTH_FUNCTION(int, qthread_writeEF_const_nb, (qth_word * word, qth_word from))              \
	QTH_FUNCTION(int, qthread_writeFF, (qth_word * word, const qth_word *from))                \
	QTH_FUNCTION(int, qthread_writeFF_const, (qth_word * word, qth_word from))                 \
	QTH_FUNCTION(int, qthread_writeF, (qth_word * word, const qth_word *from))                 \
	QTH_FUNCTION(int, qthread_writeF_const, (qth_word * word, qth_word from))                  \
	QTH_FUNCTION(int, qthread_fill, (const qth_word *word))                                    \
	QTH_FUNCTION(int, qthread_empty, (const qth_word *word))                                   \
	QTH_FUNCTION(int, qthread_purge, (qth_word * word))                                        \
	QTH_FUNCTION(int, qthread_purge_to, (qth_word * word, const qth_word *from))               \
	QTH_FUNCTION(int, qthread_purge_to_const, (qth_word * word, qth_word from))                \
	/* syncvars */                                                                             \
	QTH_FUNCTION(int, qthread_syncvar_readFF, (uint64_t * to, void *word))                     \
	QTH_FUNCTION(int, qthread_syncvar_readFE, (uint64_t * to, void *word))                     \
	QTH_FUNCTION(int, qthread_syncvar_readFF_nb, (uint64_t * to, void *word))                  \
	QTH_FUNCTION(int, qthread_syncvar_readFE_nb, (uint64_t * to, void *word))                  \
	QTH_FUNCTION(int, qthread_syncvar_writeEF, (void *word, const uint64_t *from))             \
	QTH_FUNCTION(int, qthread_syncvar_writeEF_const, (void *word, uint64_t from))              \
	QTH_FUNCTION(int, qthread_syncvar_writeEF_nb, (void *word, const uint64_t *from))          \
	QTH_FUNCTION(int, qthread_syncvar_writeEF_const_nb, (void *word, uint64_t from))           \
	QTH_FUNCTION(int, qthread_syncvar_writeF, (void *word, const uint64_t *from))              \
	QTH_FUNCTION(int, qthread_syncvar_writeF_const, (void *word, uint64_t from))               \
	QTH_FUNCTION(int, qthread_syncvar_fill, (void *word))                                      \
	QTH_FUNCTION(int, qthread_syncvar_empty, (void *word))                                     \
	QTH_FUNCTION(uint64_t, qthread_syncvar_incrF, (void *word, uint64_t by))                   \
	/* sincs, barriers, queues, locks */                                                       \
	QTH_FUNCTION(void, qt_sinc_submit, (void *sinc, const void *value))                        \
	QTH_FUNCTION(void, qt_sinc_wait, (void *sinc, void *to))                                   \
	QTH_FUNCTION(void, qt_barrier_enter, (void *barrier))                                      \
	QTH_FUNCTION(void, qt_barrier_enter_id, (void *barrier, size_t id))                        \
	QTH_FUNCTION(int, qthread_queue_join, (void *queue))                                       \
	QTH_FUNCTION(int, qthread_queue_release_one, (void *queue))                                \
	QTH_FUNCTION(int, qthread_queue_release_all, (void *queue))                                \
	QTH_FUNCTION(int, qthread_lock, (const qth_word *lock))                                    \
	QTH_FUNCTION(int, qthread_unlock, (const qth_word *lock))                                  \
	QTH_FUNCTION(int, qthread_spinlock_lock, (void *lock))                                     \
	QTH_FUNCTION(int, qthread_spinlock_unlock, (void *lock))                                   \
	/* giving up the worker */                                                                 \
	QTH_FUNCTION(void, qthread_yield_, (int how))                                              \
	QTH_FUNCTION(int, qthread_migrate_to, (uint16_t shep))                                     \
	QTH_FUNCTION(void, qt_begin_blocking_action, (void))                                       \
	QTH_FUNCTION(void, qt_end_blocking_action, (void))                                         \
	/* loops */                                                                                \
	QTH_FUNCTION(void, qt_loop, (QTH_LOOP))                                                    \
	QTH_FUNCTION(void, qt_loop_simple, (QTH_LOOP))                                             \
	QTH_FUNCTION(void, qt_loop_sv, (QTH_LOOP))                                                 \
	QTH_FUNCTION(void, qt_loop_dc, (QTH_LOOP))                                                 \
	QTH_FUNCTION(void, qt_loop_aligned, (QTH_LOOP))                                            \
	QTH_FUNCTION(void, qt_loop_sinc, (QTH_LOOP))                                               \
	QTH_FUNCTION(void, qt_loop_balance, (QTH_LOOP))                                            \
	QTH_FUNCTION(void, qt_loop_balance_simple, (QTH_LOOP))                                     \
	QTH_FUNCTION(void, qt_loop_balance_sv, (QTH_LOOP))                                         \
	QTH_FUNCTION(void, qt_loop_balance_dc, (QTH_LOOP))                                         \
	QTH_FUNCTION(void, qt_loop_balance_aligned, (QTH_LOOP))                                    \
	QTH_FUNCTION(void, qt_loop_balance_sinc, (QTH_LOOP))                                       \
	QTH_FUNCTION(void, qt_loopaccum_balance, (QTH_ACCUM))                                      \
	QTH_FUNCTION(void, qt_loopaccum_balance_sv, (QTH_ACCUM))                                   \
	QTH_FUNCTION(void, qt_loopaccum_balance_dc, (QTH_ACCUM))                                   \
	QTH_FUNCTION(void, qt_loopaccum_balance_sinc, (QTH_ACCUM))                                 \
	QTH_FUNCTION(void *, qt_loop_queue_create,                                                 \
		     (int type, QTH_RANGE, size_t step, qth_loop_fn fn, void *arg))                \
	QTH_FUNCTION(void, qt_loop_queue_run, (void *queue))                                       \
	QTH_FUNCTION(void, qt_loop_queue_run_there, (void *queue, uint16_t shep))                  \
	QTH_FUNCTION(void, qt_loop_queue_addworker, (void *queue, uint16_t shep))                  \
	/* asked, not wrapped */                                                                   \
	QTH_FUNCTION(uint16_t, qthread_num_workers, (void))

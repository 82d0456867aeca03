/* SPDX-License-Identifier: MIT */
/*
 * qthread.h - what the stand-in for Qthreads has of that library's interface: what the tests use,
 * with the same prototypes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QTHREAD_SUCCESS 0
#define QTHREAD_BADARGS (-1)
#define QTHREAD_NOT_ALLOWED (-3)
#define QTHREAD_OPFAIL (-7)

typedef uint64_t aligned_t;
typedef unsigned short qthread_shepherd_id_t;
typedef unsigned short qthread_worker_id_t;
typedef aligned_t (*qthread_f)(void *arg);
#define NO_SHEPHERD ((qthread_shepherd_id_t)-1)

/* data << 4 | state << 1 | lock; a state of 2 is empty */
typedef struct {
	union {
		uint64_t w;
	} u;
} syncvar_t;
#define SYNCVAR_STATIC_EMPTY_INITIALIZER                                                           \
	{                                                                                          \
		{                                                                                  \
			4                                                                          \
		}                                                                                  \
	}

#define QTHREAD_SPAWN_PARENT (1 << 0)
#define QTHREAD_SPAWN_SIMPLE (1 << 1)
#define QTHREAD_SPAWN_NEW_TEAM (1 << 2)
#define QTHREAD_SPAWN_NEW_SUBTEAM (1 << 3)
#define QTHREAD_SPAWN_RET_SYNCVAR_T (1 << 4)
#define QTHREAD_SPAWN_RET_SINC (1 << 5)
#define QTHREAD_SPAWN_RET_SINC_VOID (1 << 6)
#define QTHREAD_SPAWN_LOCAL_PRIORITY (1 << 9)
#define QTHREAD_SPAWN_NETWORK (1 << 10)

int qthread_initialize(void);
void qthread_finalize(void);
qthread_shepherd_id_t qthread_num_shepherds(void);
qthread_worker_id_t qthread_num_workers(void);
qthread_shepherd_id_t qthread_shep(void);

/* tasks */
#define QTH_TASK qthread_f f, const void *arg
int qthread_spawn(QTH_TASK, size_t arg_size, void *ret, size_t npreconds, void *preconds,
		  qthread_shepherd_id_t target_shep, unsigned feature_flag);
int qthread_fork(QTH_TASK, aligned_t *ret);
int qthread_fork_net(QTH_TASK, aligned_t *ret);
int qthread_fork_to(QTH_TASK, aligned_t *ret, qthread_shepherd_id_t shepherd);
int qthread_fork_syncvar(QTH_TASK, syncvar_t *ret);
int qthread_fork_syncvar_to(QTH_TASK, syncvar_t *ret, qthread_shepherd_id_t shepherd);
int qthread_fork_copyargs(QTH_TASK, size_t arg_size, aligned_t *ret);
int qthread_fork_copyargs_to(QTH_TASK, size_t arg_size, syncvar_t *ret,
			     qthread_shepherd_id_t shepherd);
int qthread_fork_syncvar_copyargs(QTH_TASK, size_t arg_size, syncvar_t *ret);
int qthread_fork_syncvar_copyargs_simple(QTH_TASK, size_t arg_size, syncvar_t *ret);
int qthread_fork_precond(QTH_TASK, aligned_t *ret, int npreconds, ...);
int qthread_fork_precond_simple(QTH_TASK, aligned_t *ret, int npreconds, ...);
int qthread_fork_precond_to(QTH_TASK, aligned_t *ret, qthread_shepherd_id_t shepherd, int npreconds,
			    ...);
int qthread_fork_copyargs_precond(QTH_TASK, size_t arg_size, syncvar_t *ret, int npreconds, ...);
#define QTH_TEAM(f, a, z, r, p, flags)                                                             \
	qthread_spawn((f), (a), (z), (r), 0, NULL, (p), QTHREAD_SPAWN_##flags)
#define qthread_fork_new_team(f, a, r) QTH_TEAM(f, a, 0, r, NO_SHEPHERD, NEW_TEAM)
#define qthread_fork_new_subteam(f, a, r) QTH_TEAM(f, a, 0, r, NO_SHEPHERD, NEW_SUBTEAM)
#define qthread_fork_copyargs_new_team(f, a, z, r) QTH_TEAM(f, a, z, r, NO_SHEPHERD, NEW_TEAM)
#define qthread_fork_syncvar_new_team(f, a, r)                                                     \
	QTH_TEAM(f, a, 0, r, NO_SHEPHERD, NEW_TEAM | QTHREAD_SPAWN_RET_SYNCVAR_T)
#define qthread_fork_syncvar_copyargs_to(f, a, z, r, p) QTH_TEAM(f, a, z, r, p, RET_SYNCVAR_T)
unsigned qt_team_id(void);

void qthread_yield_(int how);
#define qthread_yield() qthread_yield_(0)
int qthread_migrate_to(qthread_shepherd_id_t shepherd);
void qt_begin_blocking_action(void);
void qt_end_blocking_action(void);

/* words */
int qthread_feb_status(const aligned_t *addr);
int qthread_empty(const aligned_t *dest);
int qthread_fill(const aligned_t *dest);
int qthread_writeEF(aligned_t *dest, const aligned_t *src);
int qthread_writeEF_const(aligned_t *dest, aligned_t src);
int qthread_writeF(aligned_t *dest, const aligned_t *src);
int qthread_writeF_const(aligned_t *dest, aligned_t src);
int qthread_writeFF(aligned_t *dest, const aligned_t *src);
int qthread_writeFF_const(aligned_t *dest, aligned_t src);
int qthread_purge(aligned_t *dest);
int qthread_purge_to(aligned_t *dest, const aligned_t *src);
int qthread_readFF(aligned_t *dest, const aligned_t *src);
int qthread_readFE(aligned_t *dest, const aligned_t *src);
int qthread_readFE_nb(aligned_t *dest, const aligned_t *src);
int qthread_readXX(aligned_t *dest, const aligned_t *src);
int qthread_syncvar_status(syncvar_t *v);
int qthread_syncvar_empty(syncvar_t *dest);
int qthread_syncvar_fill(syncvar_t *dest);
int qthread_syncvar_writeEF(syncvar_t *dest, const uint64_t *src);
int qthread_syncvar_writeEF_const(syncvar_t *dest, uint64_t src);
int qthread_syncvar_writeF(syncvar_t *dest, const uint64_t *src);
int qthread_syncvar_writeF_const(syncvar_t *dest, uint64_t src);
int qthread_syncvar_readFF(uint64_t *dest, syncvar_t *src);
int qthread_syncvar_readFE(uint64_t *dest, syncvar_t *src);
uint64_t qthread_syncvar_incrF(syncvar_t *operand, uint64_t inc);

/* locks and queues */
typedef struct {
	uint32_t held;
} qthread_spinlock_t;
int qthread_lock(const aligned_t *a);
int qthread_unlock(const aligned_t *a);
int qthread_trylock(const aligned_t *a);
int qthread_lock_init(const aligned_t *a, bool is_recursive);
int qthread_lock_destroy(aligned_t *a);
int qthread_spinlock_init(qthread_spinlock_t *a, bool is_recursive);
int qthread_spinlock_lock(qthread_spinlock_t *a);
int qthread_spinlock_unlock(qthread_spinlock_t *a);

typedef struct qthread_queue_s *qthread_queue_t;
#define QTHREAD_QUEUE_MULTI_JOIN_LENGTH (1 << 2)
qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length);
int qthread_queue_join(qthread_queue_t q);
aligned_t qthread_queue_length(qthread_queue_t q);
int qthread_queue_release_one(qthread_queue_t q);
int qthread_queue_release_all(qthread_queue_t q);
int qthread_queue_destroy(qthread_queue_t q);

#define qthread_incr(ADDR, INCVAL) __sync_fetch_and_add(ADDR, INCVAL)

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * abt.h - what the tests use of Argobots, for its stand-in.  It has ABT_MAX_NUM_XSTREAMS execution
 * streams from the start, and all share one pool.
 */
#pragma once

#include <stdint.h>

#define ABT_SUCCESS 0
#define ABT_ERR_OTHER 1
#define ABT_ERR_INV_XSTREAM 14
#define ABT_TRUE 1

typedef struct abt_thread *ABT_thread, *ABT_task;
typedef struct abt_eventual *ABT_eventual, *ABT_mutex;
typedef struct abt_any *ABT_pool, *ABT_xstream, *ABT_sched, *ABT_thread_attr;
typedef int ABT_bool;

#define ABT_SCHED_NULL ((ABT_sched)0)
#define ABT_THREAD_ATTR_NULL ((ABT_thread_attr)0)

int ABT_init(int argc, char **argv);
int ABT_finalize(void);
int ABT_xstream_create(ABT_sched sched, ABT_xstream *made);
int ABT_xstream_join(ABT_xstream xstream);
int ABT_xstream_free(ABT_xstream *xstream);
int ABT_xstream_get_num(int *n);
int ABT_xstream_self(ABT_xstream *xstream);
int ABT_xstream_get_main_pools(ABT_xstream xstream, int n, ABT_pool *pools);

int ABT_thread_create(ABT_pool pool, void (*func)(void *), void *arg, ABT_thread_attr attr,
		      ABT_thread *made);
int ABT_thread_create_to(ABT_pool pool, void (*func)(void *), void *arg, ABT_thread_attr attr,
			 ABT_thread *made);
int ABT_thread_create_many(int n, ABT_pool *pools, void (**funcs)(void *), void **args,
			   ABT_thread_attr attr, ABT_thread *made);
int ABT_thread_revive(ABT_pool pool, void (*func)(void *), void *arg, ABT_thread *thread);
int ABT_thread_join(ABT_thread thread);
int ABT_thread_join_many(int n, ABT_thread *threads);
int ABT_thread_free(ABT_thread *thread);
int ABT_thread_free_many(int n, ABT_thread *threads);
int ABT_thread_yield(void);
int ABT_thread_exit(void);
int ABT_thread_resume(ABT_thread thread);
int ABT_thread_get_thread_func(ABT_thread thread, void (**func)(void *));
int ABT_thread_get_arg(ABT_thread thread, void **arg);
int ABT_thread_set_arg(ABT_thread thread, void *arg);
int ABT_task_create(ABT_pool pool, void (*func)(void *), void *arg, ABT_task *made);
int ABT_task_join(ABT_task task);
int ABT_task_free(ABT_task *task);
int ABT_self_is_primary(ABT_bool *is);
int ABT_self_get_thread(ABT_thread *thread);
int ABT_self_get_arg(void **arg);
int ABT_self_yield(void);
int ABT_self_suspend(void);
int ABT_self_exit(void);

int ABT_eventual_create(int bytes, ABT_eventual *made);
int ABT_eventual_set(ABT_eventual eventual, void *value, int bytes);
int ABT_eventual_wait(ABT_eventual eventual, void **value);
int ABT_mutex_create(ABT_mutex *made);
int ABT_mutex_lock(ABT_mutex mutex);
int ABT_mutex_unlock(ABT_mutex mutex);

// SPDX-License-Identifier: MIT
// calls.c - many at once, revived, unnamed and resumed ULTs, eventuals, a lock; own arguments.
// expect: r["tasks_never_begun"] == 0 and r["tasks_ended"] == 13
// expect: sum(k["tasks"] for k in r["kinds"] if k["name"] == "locks") == 8
#include <stdio.h>

#include "streams.h"

#define N 8

static ABT_mutex mutex;
static ABT_eventual eventual[2], done;
static int counter, wrong;

static void locks(void *arg)
{
	ABT_mutex_lock(mutex);
	counter += *(int *)arg;
	ABT_mutex_unlock(mutex);
	if (*(int *)arg % 2)
		ABT_self_exit();
	ABT_thread_yield();
}

static void sets(void *arg)
{
	ABT_eventual_set(arg, NULL, 0);
}

static void awaits(void *arg)
{
	void *own = NULL;

	ABT_self_get_arg(&own);
	wrong += own != arg;
	ABT_eventual_wait(eventual[0], NULL);
	ABT_eventual_wait(eventual[1], NULL);
}

static void suspends(void *arg)
{
	ABT_eventual_set(arg, NULL, 0);
	ABT_self_suspend();
	counter += 100;
}

static void unnamed(void *arg)
{
	counter += 1000;
	ABT_eventual_set(arg, NULL, 0);
}

static void many(void)
{
	ABT_thread thread[N];
	ABT_pool pools[N];
	void (*func[N])(void *);
	void *arg[N], *got;
	int n[N];

	for (int i = 0; i < N; i++) {
		n[i] = i + 1;
		arg[i] = &n[i];
		func[i] = locks;
		pools[i] = any_pool(i);
	}
	ABT_thread_create_many(N, pools, func, arg, ABT_THREAD_ATTR_NULL, thread);
	ABT_thread_join_many(N, thread);
	for (int i = 0; i < N; i++) {
		void (*is)(void *) = NULL;

		ABT_thread_get_thread_func(thread[i], &is);
		ABT_thread_get_arg(thread[i], &got);
		wrong += is != locks || got != &n[i];
	}
	ABT_thread_free_many(N, thread);
}

static void revived(void)
{
	ABT_thread thread;

	ABT_thread_create(any_pool(1), sets, eventual[0], ABT_THREAD_ATTR_NULL, &thread);
	ABT_thread_join(thread);
	ABT_thread_revive(any_pool(2), sets, eventual[1], &thread);
	ABT_thread_join(thread);
	ABT_thread_revive(any_pool(0), awaits, &counter, &thread);
	ABT_thread_free(&thread);
}

static void resumed(void)
{
	ABT_thread thread;

	ABT_thread_create(any_pool(1), suspends, done, ABT_THREAD_ATTR_NULL, &thread);
	ABT_eventual_wait(done, NULL);
	ABT_thread_yield();
	for (volatile int i = 0; i < 1000000; i++) /* it is suspended by now */
		;
	ABT_thread_resume(thread);
	ABT_thread_free(&thread);
}

int main(void)
{
	ABT_eventual last;

	streams_start();
	ABT_mutex_create(&mutex);
	ABT_eventual_create(0, &eventual[0]);
	ABT_eventual_create(0, &eventual[1]);
	ABT_eventual_create(0, &done);
	ABT_eventual_create(0, &last);
	many();
	revived();
	resumed();
	ABT_thread_create(any_pool(0), unnamed, last, ABT_THREAD_ATTR_NULL, NULL);
	ABT_eventual_wait(last, NULL);
	streams_end();
	printf("%d, %d wrong\n", counter, wrong);
	printf("tptrace-edges create=%d join=%d\ntptrace-tasks %d\n", N + 5, N + 4, N + 5);
	return 0;
}

// SPDX-License-Identifier: MIT
// Proxy tasks, as a compiler makes them of asynchronous work: complete when some thread says
// so; in a taskgroup, in a task, and with a dependence.
// not-on: gcc-on-libomp bare
// flags: -pthread
// expect: r["tasks_begun"] - r["tasks_ended"] == 1
// expect: r["tasks_never_begun"] == 0
#include "../counted.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { TIED = 1, PROXY = 16, IN_OUT = 3, N = 4 };

struct task {
	void *shareds;
	int (*code)(int gtid, struct task *task);
	int32_t part;
};

struct depend {
	intptr_t address;
	size_t bytes;
	uint8_t flags;
};

int __kmpc_global_thread_num(void *loc);
struct task *__kmpc_omp_task_alloc(void *loc, int gtid, int flags, size_t bytes, size_t shared,
				   int (*code)(int, struct task *));
int __kmpc_omp_task(void *loc, int gtid, struct task *task);
int __kmpc_omp_task_with_deps(void *loc, int gtid, struct task *task, int n, struct depend *depend,
			      int n_noalias, struct depend *noalias);
void __kmpc_proxy_task_completed(int gtid, struct task *task);
void __kmpc_proxy_task_completed_ooo(struct task *task);

static pthread_t thread[3 * N];
static atomic_int n_threads;
static struct task *_Atomic handed;

/* libomp still looks at the task when its code returns. */
static void wait_for_return(void)
{
	usleep(20000);
}

static void *complete(void *task)
{
	wait_for_return();
	__kmpc_proxy_task_completed_ooo(task);
	return NULL;
}

static int by_thread(int gtid, struct task *task)
{
	TASK();
	pthread_create(&thread[atomic_fetch_add(&n_threads, 1)], NULL, complete, task);
	return 0;
}

static int by_team(int gtid, struct task *task)
{
	TASK();
	handed = task;
	return 0;
}

static __attribute__((noinline)) void complete_handed(void)
{
	struct task *task;

	while (!(task = atomic_exchange(&handed, NULL)))
		usleep(100);
	wait_for_return();
	__kmpc_proxy_task_completed(__kmpc_global_thread_num(NULL), task);
}

static __attribute__((noinline)) struct task *proxy(int (*code)(int, struct task *))
{
	return __kmpc_omp_task_alloc(NULL, __kmpc_global_thread_num(NULL), TIED | PROXY,
				     sizeof(struct task), 0, code);
}

static __attribute__((noinline)) void start(int (*code)(int, struct task *))
{
	__kmpc_omp_task(NULL, __kmpc_global_thread_num(NULL), proxy(code));
}

static __attribute__((noinline)) void start_after(int *at, int (*code)(int, struct task *))
{
	struct depend depend = { (intptr_t)at, sizeof(*at), IN_OUT };

	__kmpc_omp_task_with_deps(NULL, __kmpc_global_thread_num(NULL), proxy(code), 1, &depend, 0,
				  NULL);
}

int main(void)
{
	int at = 0;

#pragma omp parallel
	{
		MEMBER();
#pragma omp single
		for (int i = 0; i < N; i++) {
#pragma omp taskgroup
			{
				start(by_thread);
				start_after(&at, by_thread);
#pragma omp task depend(in : at)
				TASK();
			}
			start(by_team);
#pragma omp task
			{
				TASK();
				complete_handed();
				start(by_thread);
			}
#pragma omp taskwait
		}
	}
	for (int i = 0; i < 3 * N; i++)
		pthread_join(thread[i], NULL);
	counted_print();
	return 0;
}

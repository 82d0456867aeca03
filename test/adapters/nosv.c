/* SPDX-License-Identifier: MIT */
/* nosv.c - tasks of nOS-V that pause, suspend, block their submitter, run again and are joined. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <nosv.h>

#define N 20

static nosv_task_t main_task, task[N];
static atomic_int open_tasks;
static atomic_long sum;

static void check(int status)
{
	if (status)
		abort();
}

static void work(void)
{
	for (int i = 0; i < 20000; i++)
		sum++;
}

/* The last one of several lets main() go on. */
static void completed(nosv_task_t unused)
{
	(void)unused;
	if (atomic_fetch_sub(&open_tasks, 1) == 1)
		check(nosv_submit(main_task, NOSV_SUBMIT_UNLOCKED));
}

static void leaf(nosv_task_t unused)
{
	(void)unused;
	work();
}

/* Is submitted once more by the next one. */
static void pauses(nosv_task_t self)
{
	int i = *(int *)nosv_get_task_metadata(self);

	work();
	if (i)
		check(nosv_submit(task[i - 1], NOSV_SUBMIT_UNLOCKED));
	if (i < N - 1)
		check(nosv_pause(NOSV_PAUSE_NONE));
	work();
}

/* Its code runs twice. */
static void suspends(nosv_task_t unused)
{
	static int times;

	(void)unused;
	work();
	if (times++ == 0) {
		check(nosv_set_suspend_mode(NOSV_SUSPEND_MODE_SUBMIT, 1));
		check(nosv_suspend());
	}
}

static void submit_all(nosv_task_type_t type, int n)
{
	open_tasks = n;
	for (int i = 0; i < n; i++) {
		check(nosv_create(&task[i], type, sizeof(int), NOSV_CREATE_NONE));
		*(int *)nosv_get_task_metadata(task[i]) = i;
	}
	for (int i = 0; i < n; i++)
		check(nosv_submit(task[i], NOSV_SUBMIT_NONE));
	check(nosv_pause(NOSV_PAUSE_NONE));
}

static void destroy_all(int n)
{
	for (int i = 0; i < n; i++)
		check(nosv_destroy(task[i], NOSV_DESTROY_NONE));
}

int main(void)
{
	nosv_task_type_t plain, pausing, suspending, blocking;

	check(nosv_init());
	check(nosv_attach(&main_task, NULL, "main", NOSV_ATTACH_NONE));
	check(nosv_type_init(&plain, leaf, NULL, completed, "leaf", NULL, NULL, 0));
	check(nosv_type_init(&pausing, pauses, NULL, completed, "pauses", NULL, NULL, 0));
	check(nosv_type_init(&suspending, suspends, NULL, completed, "suspends", NULL, NULL, 0));
	check(nosv_type_init(&blocking, leaf, NULL, NULL, "blocks", NULL, NULL, 0));
	submit_all(plain, N);
	open_tasks = N; /* each is a new task */
	for (int i = 0; i < N; i++)
		check(nosv_submit(task[i], NOSV_SUBMIT_NONE));
	check(nosv_pause(NOSV_PAUSE_NONE));
	destroy_all(N);
	submit_all(pausing, N);
	destroy_all(N);
	submit_all(suspending, 1);
	destroy_all(1);
	check(nosv_create(&task[0], blocking, 0, NOSV_CREATE_NONE));
	check(nosv_submit(task[0], NOSV_SUBMIT_BLOCKING));
	destroy_all(1);
	if (nosv_get_task_type_run_callback(plain) == leaf)
		puts("done");
	check(nosv_detach(NOSV_DETACH_NONE));
	check(nosv_shutdown());
	return 0;
}

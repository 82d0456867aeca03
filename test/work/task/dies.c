// SPDX-License-Identifier: MIT
// dies.c - threads that end in a task, a fork()ed child with its parent's tasks, handlers.
// status: 7
// expect: r["events_lost"] == 0
#include "test/steal/steal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct tptrace_runtime trace = { "dying", "1", 0 };
static tptrace_task_t task[4];
static volatile int n_handled;

static void code(void)
{
}

static void create(tptrace_task_t *at)
{
	struct tptrace_here here;

	tptrace_task_create(&trace, at, &here, code, TPTRACE_TASK_CALLER);
	tptrace_task_resume(&here);
}

static void run(tptrace_task_t *at)
{
	struct tptrace_here here;

	tptrace_task_begin(at, &here);
	tptrace_task_end(&here);
}

static void *leaves(void *at)
{
	struct tptrace_here here;

	tptrace_task_begin(at, &here);
	pthread_exit(at);
}

static void on_alarm(int number)
{
	(void)number;
	tptrace_task_t made = 0;

	create(&made);
	run(&made);
	n_handled++;
}

static void in_child(void)
{
	tptrace_task_t made = 0;

	run(&task[1]); // the parent's
	create(&made);
	run(&made);
	exit(5);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct steal_group group = { 0 };
	struct steal_task other;
	pthread_t thread;
	int status;
	pid_t pid;

	for (int i = 0; i < 3; i++)
		create(&task[i]);
	pthread_create(&thread, NULL, leaves, &task[0]);
	pthread_join(thread, NULL);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		in_child();
	waitpid(pid, &status, 0);
	run(&task[1]);
	sigaction(SIGALRM, &action, NULL);
	ualarm(1000, 1000);
	while (n_handled < 20) // on any line of it
		for (int i = 0; i < 100; i++) {
			task[3] = 0;
			create(&task[3]);
			run(&task[3]);
		}
	ualarm(0, 0);
	run(&task[2]);
	steal_start(2);
	steal_spawn(&other, &group, (void (*)(void *))(tptrace_code_t)code, NULL);
	steal_wait(&group);
	steal_stop();
	printf("child %d\n", WEXITSTATUS(status));
	return 7;
}

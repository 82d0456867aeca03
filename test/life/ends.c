/* SPDX-License-Identifier: MIT */
/*
 * ends.c HOW - makes TASKS tasks and then ends, doubles or becomes another program in the way HOW.
 *
 * Prints a line of what it computed; the exit status tells the way, for the driver to compare
 * with an untraced run.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS 1000

extern char **environ;
static char *self;
static sigjmp_buf back;

static void tasks(int n)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	}
	printf("%d\n", sum);
	fflush(stdout);
}

/* Tasks without a team, which no other thread is needed for: also good after a fork. */
static __attribute__((noinline)) void alone(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
		sum += i;
	}
	printf("%d\n", sum);
	fflush(stdout);
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void on_crash(int signal)
{
	(void)signal;
	_exit(31);
}

static void on_abort(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void *ends_all(void *arg)
{
	(void)arg;
	_exit(32);
}

static void at_quick(void)
{
	tasks(10);
}

static int do_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, ends_all, NULL);
	pthread_join(thread, NULL);
	return 1;
}

static int do_handler(void)
{
	signal(SIGSEGV, on_crash);
	raise(SIGSEGV);
	return 1;
}

static int do_caught_abort(void)
{
	signal(SIGABRT, on_abort);
	if (!sigsetjmp(back, 1))
		abort();
	tasks(TASKS);
	return 33;
}

static volatile int n_beside;

static void *works_on(void *arg)
{
	(void)arg;
	for (;; n_beside++) {
#pragma omp task
		usleep(20); /* its ring is never full: it would wait for the collector */
	}
	return NULL;
}

/* Returns when more than half a ring of 16K was recorded, but less than a whole one: then abort()
 * kills. */
static void on_late_abort(int signal)
{
	int n = n_beside;

	(void)signal;
	while (n_beside - n < 180)
		sched_yield();
}

static int do_abort_beside(void)
{
	pthread_t thread;

	signal(SIGABRT, on_late_abort);
	pthread_create(&thread, NULL, works_on, NULL);
	while (n_beside < 100)
		sched_yield();
	abort();
}

static int do_exec_fails(void)
{
	char *argv[] = { "x", NULL };

	if (execv("/no/such/program", argv) != -1 || errno != ENOENT)
		return 1;
	if (execl("/no/such/program", "x", "y", NULL) != -1 || errno != ENOENT)
		return 2;
	tasks(TASKS);
	return 34;
}

static int do_exec_family(const char *which)
{
	char *argv[] = { "sh", "-c", "echo $0 $TOLD; exit 35", "named", NULL };
	char *envp[] = { "TOLD=yes", NULL };

	setenv("TOLD", "yes", 1);
	if (strcmp(which, "execl") == 0)
		execl("/bin/sh", "sh", "-c", argv[2], "named", NULL);
	if (strcmp(which, "execlp") == 0)
		execlp("sh", "sh", "-c", argv[2], "named", NULL);
	if (strcmp(which, "execle") == 0)
		execle("/bin/sh", "sh", "-c", argv[2], "named", NULL, envp);
	if (strcmp(which, "execv") == 0)
		execv("/bin/sh", argv);
	if (strcmp(which, "execvp") == 0)
		execvp("sh", argv);
	if (strcmp(which, "execve") == 0)
		execve("/bin/sh", argv, envp);
	if (strcmp(which, "execvpe") == 0)
		execvpe("sh", argv, envp);
	return 1;
}

static int do_exec_self(void)
{
	execl(self, self, "exit", NULL);
	return 1;
}

static int do_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/no/such/program", "x", NULL);
		_exit(36);
	}
	int status = reap(pid);

	tasks(TASKS);
	return status;
}

static int do_spawn(void)
{
	char *argv[] = { "sh", "-c", "exit 37", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
		return 1;
	int status = reap(pid);

	tasks(TASKS);
	return status;
}

/* Children that make no tasks, that make some, and that end in each way. */
static int do_fork(void)
{
	for (int how = 1; how <= 3; how++) {
		pid_t pid = fork();

		if (pid == 0 && how > 1)
			alone(TASKS);
		if (pid == 0 && how == 2)
			exit(how);
		if (pid == 0)
			_exit(how);
		if (reap(pid) != how)
			return how;
	}
	tasks(TASKS);
	return 38;
}

/* A child that is made in the middle of a task, and comes back out of it. */
static int do_fork_inside(void)
{
	pid_t pid = 0;

#pragma omp task shared(pid)
	pid = fork();
	alone(TASKS);
	if (pid == 0)
		exit(4);
	return reap(pid) == 4 ? 39 : 1;
}

static int is_cloned(void *arg)
{
	(void)arg;
	alone(TASKS);
	_exit(5);
}

static int is_cloned_beside(void *arg)
{
	(void)arg;
	_exit(6);
}

static int do_bare_fork(void)
{
	static char stack[256 << 10] __attribute__((aligned(64)));
	pid_t pid = clone(is_cloned, stack + sizeof(stack), SIGCHLD, NULL);

	if (reap(pid) != 5)
		return 1;
	pid = clone(is_cloned_beside, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
		    NULL);
	if (reap(pid) != 6)
		return 1;
	pid = _Fork();
	if (pid == 0) {
		alone(TASKS);
		_exit(6);
	}
	return reap(pid) == 6 ? 40 : 1;
}

/* A child that libc knows nothing of. */
static pid_t unknown_child(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void *is_alone(void *arg)
{
	alone(TASKS);
	return arg;
}

/* Ends, as a thread and as the child's only one. */
static void *doubles(void *arg)
{
	alone(10);
	*(pid_t *)arg = unknown_child();
	if (*(pid_t *)arg == 0)
		alone(TASKS);
	return NULL;
}

/* More events than a ring holds; in a thread; in a child that is forked properly. */
static void unknown_runs(void)
{
	pthread_t thread;
	pid_t pid;

	for (int i = 0; i < 30; i++)
		alone(TASKS);
	pthread_create(&thread, NULL, is_alone, NULL);
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		alone(TASKS);
		_exit(9);
	}
	if (reap(pid) != 9)
		_exit(1);
	alone(TASKS);
}

/* Children by system calls of the program's own, while a task runs and while none does. */
static int do_unknown_child(void)
{
	pthread_t thread;
	int status = 0;
	pid_t pid;

	alone(10); /* its place is known: the child has no other reason to look up */
	pid = unknown_child();
	if (pid == 0) {
		unknown_runs();
		_exit(10);
	}
	if (reap(pid) != 10)
		return 1;
	pid = unknown_child();
	if (pid == 0) {
		unknown_runs();
		exit(11);
	}
	if (reap(pid) != 11)
		return 2;
	pthread_create(&thread, NULL, doubles, &pid);
	pthread_join(thread, NULL);
	if (reap(pid) != 0)
		return 3;
#pragma omp task shared(pid, status)
	{
		alone(10);
		pid = unknown_child();
		if (pid)
			status = reap(pid);
		alone(10);
	}
	alone(10);
	if (pid == 0) {
		unknown_runs();
		exit(12);
	}
	if (status != 12)
		return 4;
	tasks(TASKS);
	return 44;
}

static int do_daemon(void)
{
	if (daemon(1, 1) < 0)
		return 1;
	alone(TASKS);
	return 41;
}

static int do_double_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid)
			_exit(7);
		alone(TASKS);
		exit(0);
	}
	return reap(pid) == 7 ? 42 : 1;
}

static volatile int forking = 1;

static void *forks(void *arg)
{
	int *failed = arg;

	for (int i = 0; i < 60; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			alone(10);
			_exit(8);
		}
		*failed |= reap(pid) != 8;
	}
	forking = 0;
	return NULL;
}

/* One thread forks while others work; each loop is another call site's first. */
static int do_fork_beside(void)
{
	pthread_t thread;
	int failed = 0;

	fclose(stdout);
	pthread_create(&thread, NULL, forks, &failed);
	while (forking)
		tasks(100);
	pthread_join(thread, NULL);
	return failed ? 1 : 43;
}

static void at_exit(void)
{
	alone(10);
}

static void *outlives(void *arg)
{
	usleep(300000); /* main has ended, and nothing is recorded */
	alone(TASKS);
	return arg;
}

/* The process ends with its last thread, not with this one. */
static int do_main_ends(void)
{
	pthread_t thread;

	atexit(at_exit);
	pthread_create(&thread, NULL, outlives, NULL);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";

	self = argv[0];
	if (strncmp(how, "late_", 5) == 0) /* the parent never recorded */
		how += 5;
	else
		tasks(TASKS);
	if (strcmp(how, "exit") == 0)
		exit(20);
	if (strcmp(how, "_exit") == 0)
		_exit(21);
	if (strcmp(how, "_Exit") == 0)
		_Exit(22);
	if (strcmp(how, "quick_exit") == 0)
		at_quick_exit(at_quick), quick_exit(23);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "assert") == 0)
		__assert_fail("1 == 2", "ends.c", 1, "main");
	if (strcmp(how, "threads") == 0)
		return do_threads();
	if (strcmp(how, "handler") == 0)
		return do_handler();
	if (strcmp(how, "caught_abort") == 0)
		return do_caught_abort();
	if (strcmp(how, "abort_beside") == 0)
		return do_abort_beside();
	if (strcmp(how, "exec_fails") == 0)
		return do_exec_fails();
	if (strcmp(how, "exec_self") == 0)
		return do_exec_self();
	if (strncmp(how, "exec", 4) == 0)
		return do_exec_family(how);
	if (strcmp(how, "vfork") == 0)
		return do_vfork();
	if (strcmp(how, "spawn") == 0)
		return do_spawn();
	if (strcmp(how, "fork") == 0)
		return do_fork();
	if (strcmp(how, "fork_inside") == 0)
		return do_fork_inside();
	if (strcmp(how, "bare_fork") == 0)
		return do_bare_fork();
	if (strcmp(how, "unknown_child") == 0)
		return do_unknown_child();
	if (strcmp(how, "daemon") == 0)
		return do_daemon();
	if (strcmp(how, "double_fork") == 0)
		return do_double_fork();
	if (strcmp(how, "fork_beside") == 0)
		return do_fork_beside();
	if (strcmp(how, "main_ends") == 0)
		return do_main_ends();
	return 99;
}

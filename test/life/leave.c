/* SPDX-License-Identifier: MIT */
/*
 * leave.c HOW COUNT [N] - a team runs tasks without end, and once N were made the program ends in
 * the way HOW.  The file COUNT has how many were made, up to the last instant.
 *
 *	exit _exit quick_exit abort exec	by a thread that makes no tasks
 *	task_exit task_abort			from within a task
 *	handler_exit				by a signal handler, in whatever it interrupts
 *	main_ends				main's thread ends first, another exits
 *	caught_abort		a handler leaves abort(); then by SIGKILL, soon after
 *	late_abort raised_abort	by abort(), whose handler takes its time; and then returns,
 *	killed_abort		or sends the signal again, by raise() or kill()
 *	failed_exec		by SIGKILL, soon after it could not become another program
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

/* Makes a few tasks that call run(), and waits for them. */
void burst(void (*run)(void), _Atomic long *n_made);

static const char *how;
static _Atomic long *n_made;
static long n_least = 20000;
static sigjmp_buf back;

static void on_abort(int number)
{
	long n = *n_made;

	if (strcmp(how, "caught_abort") == 0)
		siglongjmp(back, 1);
	usleep(300000);
	while (*n_made < n + 100)
		sched_yield();
	signal(number, SIG_DFL);
	if (strcmp(how, "raised_abort") == 0)
		raise(number);
	if (strcmp(how, "killed_abort") == 0)
		kill(getpid(), number);
}

/* With as many tasks in between as nobody has the time to take. */
static void leave_by_abort(void)
{
	long n;

	signal(SIGABRT, on_abort);
	if (strcmp(how, "failed_exec") == 0)
		execl("/", "x", NULL);
	else if (!sigsetjmp(back, 1))
		abort();
	for (n = *n_made; *n_made < n + 1000;)
		sched_yield();
	kill(getpid(), SIGKILL);
}

static void leave(void)
{
	if ((strstr(how, "_abort") && !strstr(how, "task_")) || strcmp(how, "failed_exec") == 0)
		leave_by_abort();
	if (strstr(how, "quick_exit"))
		quick_exit(46);
	if (strstr(how, "_exit") == how)
		_exit(46);
	if (strstr(how, "abort"))
		abort();
	if (strstr(how, "exec"))
		execl("/bin/sh", "sh", "-c", "exit 46", NULL);
	exit(46);
}

static void *leaves(void *arg)
{
	while (*n_made < n_least)
		sched_yield();
	leave();
	return arg;
}

static void on_signal(int number)
{
	(void)number;
	leave();
}

static void *signals(void *arg)
{
	while (*n_made < n_least)
		sched_yield();
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	for (;;)
		pause();
	return NULL;
}

static void run(void)
{
	static atomic_flag left = ATOMIC_FLAG_INIT;

	if (strncmp(how, "task_", 5) == 0 && *n_made >= n_least && !atomic_flag_test_and_set(&left))
		leave();
}

static void *works(void *arg)
{
	for (;;)
		burst(run, n_made);
	return arg;
}

int main(int argc, char **argv)
{
	static pthread_t self;
	pthread_t other;
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return 2;
	n_made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	how = argv[1];
	if (argc > 3)
		n_least = atol(argv[3]);
	self = pthread_self();
	signal(SIGUSR1, on_signal);
	if (strcmp(how, "handler_exit") == 0)
		pthread_create(&other, NULL, signals, &self);
	else if (strncmp(how, "task_", 5) != 0)
		pthread_create(&other, NULL, leaves, NULL);
	if (strcmp(how, "main_ends") == 0) {
		pthread_create(&other, NULL, works, NULL);
		pthread_exit(NULL);
	}
	works(NULL);
	return 1;
}

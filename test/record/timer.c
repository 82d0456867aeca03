/* SPDX-License-Identifier: MIT */
/*
 * timer.c - WHAT does in two tasks, for some CPU time, what a signal of tptrace's could disturb,
 * and prints its name: output and status are to be those of a run without tptrace.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

#define WORK_S 0.12 /* 12 samples of each task at 100 a second */
#define STACK 16384u /* of a user-level thread, .. */
#define USED 1024u   /* .. and what the work takes of it at most */
#define CHECK(is)                                                                                  \
	do {                                                                                       \
		if (!(is)) {                                                                       \
			fprintf(stderr, "timer.c:%d: %s, errno %d\n", __LINE__, #is, errno);       \
			_exit(3);                                                                  \
		}                                                                                  \
	} while (0)

static volatile sig_atomic_t n_prof, n_alarm, n_other;
static volatile double sum;

/* No call may end by a signal of ours that it would not end by alone: errno is as it was set. */
static void work(void)
{
	for (double begin = cpu_s(); cpu_s() - begin < WORK_S;) {
		errno = 77;
		sum = burn(sum);
		__asm__ volatile("" ::: "memory"); /* it may be another one now */
		CHECK(errno == 77);
	}
}

static void on_signal(int number)
{
	n_prof += number == SIGPROF;
	n_alarm += number == SIGALRM;
	n_other += number != SIGPROF && number != SIGALRM;
}

static void handle(int number)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	CHECK(sigaction(number, &action, NULL) == 0);
}

static void run_twice(void (*run)(void))
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 2; i++)
#pragma omp task
		run();
}

/* ---- what it does ---- */

static void plain(void)
{
	run_twice(work);
}

/* For so many samples that a few elsewhere are few of them. */
static void hot(void)
{
	for (int i = 0; i < 4; i++)
		run_twice(work);
}

/* Timers of its own go on. */
static void timers(void)
{
	const struct itimerval every = { { 0, 10000 }, { 0, 10000 } };

	handle(SIGPROF);
	handle(SIGALRM);
	CHECK(setitimer(ITIMER_PROF, &every, NULL) == 0 &&
	      setitimer(ITIMER_REAL, &every, NULL) == 0);
	run_twice(work);
	CHECK(n_prof > 5 && n_alarm > 5);
}

/* Each signal is as it was left, mid-run. */
static void look(void)
{
	struct sigaction action;
	sigset_t mask;

	work();
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigaction(i, NULL, &action) == 0)
			CHECK(action.sa_handler == SIG_DFL && !(action.sa_flags & SA_SIGINFO));
	CHECK(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
	for (int i = 1; i <= SIGRTMAX; i++)
		CHECK(sigismember(&mask, i) <= 0);
}

static void looks(void)
{
	run_twice(look);
}

/* It takes all real-time signals, mid-run: none comes but its own. */
static void takes(void)
{
	run_twice(work);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		handle(i);
	run_twice(work);
	CHECK(n_other == 0);
	raise(SIGRTMAX);
	CHECK(n_other == 1);
}

/* It sets all to what they are by default, then ends by one. */
static void dies(void)
{
	run_twice(work);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		CHECK(signal(i, SIG_DFL) == SIG_DFL);
	run_twice(work);
	printf("dies\n");
	fflush(stdout);
	kill(getpid(), SIGRTMAX);
	pause();
}

static void work_blocked(void)
{
	sigset_t all, before;

	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_BLOCK, &all, &before) == 0);
	work();
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}

static void blocked(void)
{
	run_twice(work_blocked);
}

/* On a small stack, of which nothing but the work takes anything. */
static void work_on_small(void)
{
	ucontext_t here, there;
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(stack != MAP_FAILED && getcontext(&there) == 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, work, 0);
	CHECK(swapcontext(&here, &there) == 0);
	for (unsigned i = 0; i < STACK - USED; i++)
		CHECK(stack[i] == 0);
	munmap(stack, STACK);
}

static void small(void)
{
	run_twice(work_on_small);
}

/* A child goes on as it would, and so does what it executes. */
static void forks(void)
{
	int status;
	pid_t child;

	run_twice(work);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		work();
		execl("/proc/self/exe", "timer", "plain", (char *)NULL);
		_exit(4);
	}
	work();
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	run_twice(work);
}

static void *thread(void *arg)
{
	run_twice(work);
	return arg;
}

/* Threads that record come and go. */
static void threads(void)
{
	for (int i = 0; i < 5; i++) {
		pthread_t one;

		CHECK(pthread_create(&one, NULL, thread, NULL) == 0 &&
		      pthread_join(one, NULL) == 0);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} all[] = { { "plain", plain }, { "timers", timers },	{ "looks", looks },
		    { "takes", takes }, { "dies", dies },	{ "blocked", blocked },
		    { "small", small }, { "forks", forks },	{ "threads", threads },
		    { "hot", hot } };

	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].does();
			printf("%s\n", argv[1]);
			return 7;
		}
	return 2;
}

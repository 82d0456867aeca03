/* SPDX-License-Identifier: MIT */
/*
 * program.c - HOW THREADS MS: each thread runs a task for MS; prints what the kernel says of it:
 *
 *	thread TID RUN0 WAIT0 RUN1 WAIT1 NS	sums when its first task begins, at its end; when
 *						that was, on CLOCK_MONOTONIC
 *
 * burn: MS of CPU time; sleep; kill: burn, then the process kills itself; turns: one thread after
 * the other, each burns before its task, too; own: burn, and a thread that is no worker has 3 * MS and
 * prints that:
 *
 *	own NS
 *
 * chroot DIR, setuid, fork: burn, then do so, then burn again.  chroot and setuid print between
 * which times it was, and all three how many files were open before, and are at the end:
 *
 *	left NS NS
 *	open N N
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../bench/now.h"

static const char *how;
static long ms;

/* 0 where the kernel does not count. */
static uint64_t wait_ns(void)
{
	unsigned long long run = 0, wait = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (file) {
		if (fscanf(file, "%llu %llu", &run, &wait) != 2)
			wait = 0;
		fclose(file);
	}
	return wait;
}

static void task(void)
{
	uint64_t end_ns = now_of(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000u;

	if (strcmp(how, "sleep") == 0)
		usleep((useconds_t)ms * 1000);
	else
		while (now_of(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
}

static void member(void)
{
	uint64_t run = now_of(CLOCK_THREAD_CPUTIME_ID), wait = wait_ns();

#pragma omp task
	task();
#pragma omp taskwait
#pragma omp critical
	printf("thread %ld %llu %llu %llu %llu %llu\n", syscall(SYS_gettid),
	       (unsigned long long)run, (unsigned long long)wait,
	       (unsigned long long)now_of(CLOCK_THREAD_CPUTIME_ID),
	       (unsigned long long)wait_ns(), (unsigned long long)now_of(CLOCK_MONOTONIC));
}

static void team(int n)
{
#pragma omp parallel num_threads(n)
	member();
}

/* With the one that lists them. */
static int open_files(DIR *files)
{
	int n = 0;

	rewinddir(files);
	while (readdir(files))
		n++;
	return n;
}

/* Until the collector has made the trace, which it could not do afterwards. */
static void await_trace(void)
{
	const char *trace = getenv("TPTRACE_OUTPUT");

	for (int i = 0; trace && access(trace, F_OK) != 0 && i < 6000; i++)
		usleep(10000);
}

/* Leaves the file system, or the user, or makes a child.  The exit status. */
static int leave(int n, const char *to)
{
	DIR *files = opendir("/proc/self/fd");
	int before = open_files(files), status = 0;
	uint64_t from_ns = now_of(CLOCK_MONOTONIC);
	pid_t child = 0;

	if (strcmp(how, "fork") == 0) {
		fflush(stdout);
		child = fork();
	} else if (strcmp(how, "chroot") == 0 ? chdir(to) || chroot(".") : setuid(65534)) {
		perror(how);
		return 77;
	} else {
		usleep(2000);
		printf("left %llu %llu\n", (unsigned long long)from_ns,
		       (unsigned long long)now_of(CLOCK_MONOTONIC));
	}
	team(n);
	if (child > 0 && waitpid(child, &status, 0) < 0)
		return 1;
	printf("open %d %d\n", before, open_files(files));
	return status != 0;
}

static void *turn(void *unused)
{
	task();
#pragma omp parallel num_threads(1)
	member();
	return unused;
}

static void *burn(void *unused)
{
	while (now_of(CLOCK_THREAD_CPUTIME_ID) < 3 * (uint64_t)ms * 1000000u)
		;
	printf("own %llu\n", (unsigned long long)now_of(CLOCK_THREAD_CPUTIME_ID));
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[2]) : 1;
	pthread_t thread;

	how = argc > 1 ? argv[1] : "burn";
	ms = argc > 3 ? atol(argv[3]) : 100;
	if (strcmp(how, "turns") == 0) {
		for (int i = 0; i < n; i++) {
			pthread_create(&thread, NULL, turn, NULL);
			pthread_join(thread, NULL);
		}
		return 0;
	}
	if (strcmp(how, "own") == 0)
		pthread_create(&thread, NULL, burn, NULL);
	team(strcmp(how, "fork") == 0 ? 1 : n); /* libgomp's pool does not survive fork() */
	if (strcmp(how, "own") == 0)
		pthread_join(thread, NULL);
	if (argc > 4) {
		await_trace();
		return leave(n, argv[4]);
	}
	if (strcmp(how, "kill") == 0) {
		fflush(stdout);
		raise(SIGKILL);
	}
	return 0;
}

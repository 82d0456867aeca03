/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - a few OpenMP tasks, and what its argument says of its life:
 *
 *	state		prints all that it inherited: descriptors, mask, dispositions, umask, folder
 *	sleep		says "here" and waits to be ended; on SIGUSR1 it says so and exits with 9
 *	daemon		leaves the terminal by two forks, closes all descriptors, works on
 *	again		runs itself anew by exec after some tasks
 *	many		makes more of them
 *	count FILE N ..	makes N, each of which adds one to the word in FILE, and more until a
 *			second file is there; prints how many.  A mark before and one behind
 *	forked		makes marks, and then a child that does: tasks, and a mark before and behind;
 *			it kills itself
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../preload/tptrace.h"

static void run_tasks(int n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		__asm__ volatile("" ::: "memory");
	}
}

/* One creates, and all run them. */
static int count_tasks(const char *file, long n, const char *until)
{
	int fd = open(file, O_RDWR);
	long *counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (counter == MAP_FAILED)
		return 1;
	tptrace_phase("first");
#pragma omp parallel num_threads(2)
#pragma omp single
	for (long i = 0; i < n || (until && (i % 100 || access(until, F_OK) < 0)); i++) {
#pragma omp task
		__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
	}
	tptrace_phase("last");
	printf("%ld\n", *counter);
	return 7;
}

static void print_state(void)
{
	mode_t mask = umask(0);
	char line[300], folder[4096];
	FILE *in = fopen("/proc/self/status", "re");

	umask(mask);
	while (in && fgets(line, sizeof(line), in))
		if (strncmp(line, "Sig", 3) == 0 && strncmp(line, "SigQ", 4) != 0)
			fputs(line, stdout);
	if (in)
		fclose(in);
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor %d\n", fd);
	printf("umask %o, in %s, group %d\n", (unsigned)mask,
	       getcwd(folder, sizeof(folder)) ? folder : "?", getpgrp() == getpid());
	fflush(stdout);
}

static void on_usr1(int number)
{
	(void)number;
	if (write(1, "usr1\n", 5) == 5)
		_exit(9);
}

static void become_daemon(void)
{
	if (fork()) {
		sleep(1); /* until it has begun to record */
		exit(0);
	}
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < 40; i++) {
		run_tasks(50);
		usleep(50000);
	}
	exit(0);
}

static void mark_in_child(void)
{
	for (int i = 0; i < 5; i++)
		tptrace_phase("of the parent");
	if (fork()) {
		wait(NULL);
		return;
	}
	tptrace_phase("first");
	run_tasks(100);
	tptrace_phase("last");
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "count") == 0 && argc > 3)
		return count_tasks(argv[2], atol(argv[3]), argv[4]);
	if (strcmp(what, "state") == 0)
		print_state();
	if (strcmp(what, "daemon") == 0)
		become_daemon(); /* before there are tasks: libgomp does not outlive a fork */
	if (strcmp(what, "forked") == 0)
		mark_in_child();
	run_tasks(strcmp(what, "many") == 0 ? 20000 : 100);
	if (strcmp(what, "sleep") == 0) {
		signal(SIGUSR1, on_usr1);
		puts("here");
		fflush(stdout);
		for (;;)
			pause();
	}
	if (strcmp(what, "again") == 0)
		execl("/proc/self/exe", argv[0], "once", (char *)NULL);
	return 5;
}

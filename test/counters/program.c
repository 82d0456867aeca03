/* SPDX-License-Identifier: MIT */
/*
 * program.c - OpenMP tasks that touch 16 new pages each, under trouble.
 *
 * `threads N`: N threads, one after the other, with a task each; prints how many descriptors are
 * open and how many KiB are mapped then.  `fork`: 100 tasks here, and as many in a child.
 * `forever`: prints its pid, and makes tasks until it is killed.  `fine`: 100,000 tasks without
 * code, and 2,000 pages in 100 of them.  `turns`: 100 tasks that are recorded, 100 that are not,
 * one that starts the recording again, and 100 that are recorded.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/tptrace.h"

#define PAGES 16

static void touch(long pages)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *at = mmap(NULL, (size_t)(pages * page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	madvise((void *)at, (size_t)(pages * page), MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		at[i * page] = 1;
	munmap((void *)at, (size_t)(pages * page));
}

static void tasks(long n)
{
#pragma omp parallel
#pragma omp master
	{
		for (long i = 0; i < n; i++) {
#pragma omp task
			touch(PAGES);
		}
#pragma omp taskwait
	}
}

static void *thread(void *arg)
{
	(void)arg;
#pragma omp task if (0)
	touch(PAGES);
	return NULL;
}

static long count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	long n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

static long mapped_kib(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (statm && fscanf(statm, "%ld", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void threads(long n)
{
	for (long i = 0; i < n; i++) {
		pthread_t other;

		if (pthread_create(&other, NULL, thread, NULL) == 0)
			pthread_join(other, NULL);
	}
	printf("%ld %ld\n", count_fds(), mapped_kib());
}

static void forks(void)
{
	pid_t child = fork();
	int status = 0;

	tasks(100);
	if (child > 0 && (waitpid(child, &status, 0) < 0 || status))
		exit(1);
}

static void fine(void)
{
#pragma omp parallel
#pragma omp master
	for (long i = 0; i < 100000; i++) {
#pragma omp task firstprivate(i)
		if (i % 1000 == 0)
			touch(20);
	}
}

static void turns(void)
{
	tasks(100);
	tptrace_stop();
	tasks(100);
#pragma omp parallel
#pragma omp master
	{
#pragma omp task if (0)
		{
			touch(PAGES);
			tptrace_start();
			touch(PAGES);
		}
	}
	tasks(100);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "threads") == 0)
		threads(argc > 2 ? strtol(argv[2], NULL, 10) : 1);
	else if (strcmp(what, "fork") == 0)
		forks();
	else if (strcmp(what, "fine") == 0)
		fine();
	else if (strcmp(what, "turns") == 0)
		turns();
	if (strcmp(what, "forever") != 0)
		return 0;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		tasks(50);
}

/* SPDX-License-Identifier: MIT */
/*
 * family.c FAMILY STEPS MS - a family of processes that run tasks.
 *
 * Each makes tasks for MS ms before each of its steps, and behind the last:
 *
 *	f	a child is forked, and becomes this program with the steps that follow
 *	d	goes on as a daemon, as this program with the steps that follow; its parent ends
 *	e	becomes this program with the steps that follow
 *	x	the same, while others make tasks
 *
 * FAMILY is a file with a row for each program that began: its process, and how many tasks it has
 * made, up to the last instant.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROWS 255

struct family {
	_Atomic long n, unused;
	struct {
		long pid;
		_Atomic long n_made;
	} row[ROWS];
};

static _Atomic long *n_made;
static char **own;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* What the next one is from here on is up to it. */
static void become(const char *steps)
{
	execl("/proc/self/exe", own[0], own[1], steps, own[3], NULL);
	_exit(3);
}

static void nothing(void)
{
}

static void work(double ms, _Atomic int *goes)
{
	double until = now_ms() + ms;

	do {
#pragma omp parallel num_threads(2)
#pragma omp single
		for (int i = 0; i < 20; i++) {
			for (int k = 0; k < 32; k++) {
				++*n_made;
#pragma omp task
				nothing();
			}
#pragma omp taskwait
		}
	} while (now_ms() < until || (goes && *goes));
}

static const char *rest;
static _Atomic int goes = 1;

static void *becomes(void *arg)
{
	usleep(2000);
	become(rest);
	return arg;
}

static void step(const char *at)
{
	pthread_t other;

	rest = at + 1;
	if (*at == 'e')
		become(rest);
	if (*at == 'x' && pthread_create(&other, NULL, becomes, NULL) == 0)
		work(1, &goes);
	if (*at == 'f' && fork() == 0)
		become(rest);
	if (*at == 'd' && daemon(1, 1) == 0)
		become(rest);
}

int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[1], O_RDWR) : -1;
	struct family *family;
	long n;

	if (fd < 0)
		return 2;
	family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (family == MAP_FAILED || (n = family->n++) >= ROWS)
		return 2;
	own = argv;
	family->row[n].pid = getpid();
	n_made = &family->row[n].n_made;
	for (const char *at = argv[2]; *at; at++) {
		work(atof(argv[3]), NULL);
		step(at);
	}
	work(atof(argv[3]), NULL);
	while (wait(NULL) > 0)
		;
	return 7;
}

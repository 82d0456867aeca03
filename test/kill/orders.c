/* SPDX-License-Identifier: MIT */
/*
 * orders.c - kills its own collector, and ends soon after.
 *
 *	orders BEFORE AFTER [HOW]
 *
 * Works for BEFORE ms, kills the collector, works for AFTER ms and prints, for each process, its
 * number and how many tasks there were, those of the regions and of main() as well.  HOW:
 *
 *	killed		it dies of SIGKILL then
 *	stopped		the collector was stopped before it is killed
 *	twice		the next collector is killed, too
 *	limited		the collector may write LIMIT_BYTES, and is killed when that was too little
 *	exec		it becomes another such program, which kills nobody
 *	fork		a child begins to work when the collector is dead
 *	orphan		`tptrace record` is killed before the collector; this goes on after both
 *	spare		nobody is killed
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_BYTES (128 << 10) /* a block has less */
#define LIMIT_TASKS 300000	/* of at least a byte each */
#define LOOKS 2000 /* of 5 ms: until there is a collector, or no more */

static long n_tasks = 1;

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	{
		__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
		a = fib(n - 1);
	}
#pragma omp task shared(b)
	{
		__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
		b = fib(n - 2);
	}
#pragma omp taskwait
	return a + b;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void work(double ms)
{
	double end = now_ms() + ms;

	do {
		n_tasks += 2;
#pragma omp parallel num_threads(2)
#pragma omp single
		fib(12);
	} while (now_ms() < end);
}

/* Whether a process lives and has such a name. */
static int is_collector(int pid)
{
	char path[64], name[32], state;
	FILE *stat;
	int is = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = fopen(path, "r");
	if (stat && fscanf(stat, "%*d (%31[^)]) %c", name, &state) == 2)
		is = state != 'Z' && strncmp(name, "tptrace-coll", 12) == 0;
	if (stat)
		fclose(stat);
	return is;
}

/* The first thread may be dead before the others. */
static int has_threads(int pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return stat(path, &st) == 0 && st.st_nlink > 3;
}

/* Its number; 0 if there is none. */
static int collector_of(int record)
{
	char path[96];
	int pid, found = 0;
	FILE *children;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", record, record);
	children = fopen(path, "r");
	while (children && fscanf(children, "%d", &pid) == 1)
		found = is_collector(pid) ? pid : found;
	if (children)
		fclose(children);
	return found;
}

static void limit_files_of(int pid)
{
	struct rlimit limit = { LIMIT_BYTES, LIMIT_BYTES };

	prlimit(pid, RLIMIT_FSIZE, &limit, NULL);
}

static int await_other(int record, int before)
{
	int pid = 0;

	for (int i = 0; i < LOOKS && (pid == 0 || pid == before); i++) {
		usleep(5000);
		pid = collector_of(record);
	}
	return pid;
}

static void strike(const char *how)
{
	int record = getppid(), pid = collector_of(record);

	if (!pid || strcmp(how, "spare") == 0)
		return;
	if (strcmp(how, "stopped") == 0) {
		kill(pid, SIGSTOP);
		work(20);
	}
	if (strcmp(how, "orphan") == 0)
		kill(record, SIGKILL);
	kill(pid, SIGKILL);
	if (strcmp(how, "twice") == 0)
		kill(await_other(record, pid), SIGKILL);
	for (int i = 0; i < LOOKS && strcmp(how, "orphan") == 0; i++) {
		if (!is_collector(pid) && !has_threads(pid))
			return;
		usleep(5000);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";
	int gate[2], child = -1;
	char byte;

	if (argc < 3 || pipe(gate) < 0)
		return 2;
	if (strcmp(how, "fork") == 0)
		child = fork();
	if (child == 0) {
		close(gate[1]);
		n_tasks = read(gate[0], &byte, 1) < 0 ? 0 : 1; /* its end: the parent is done */
		work(atof(argv[2]));
	} else {
		work(0); /* the collector has memory by then */
		if (strcmp(how, "limited") == 0)
			limit_files_of(collector_of(getppid()));
		do
			work(atof(argv[1]));
		while (strcmp(how, "limited") == 0 && n_tasks < LIMIT_TASKS);
		strike(how);
		close(gate[1]);
		if (atof(argv[2]) > 0)
			work(atof(argv[2]));
		if (child > 0)
			wait(NULL);
	}
	printf("%d %ld\n", (int)getpid(), n_tasks);
	fflush(stdout);
	if (strcmp(how, "killed") == 0)
		raise(SIGKILL);
	if (strcmp(how, "exec") == 0)
		execl("/proc/self/exe", argv[0], "0", "0", "spare", (char *)NULL);
	return 7;
}

/* SPDX-License-Identifier: MIT */
/*
 * left.c FORKS BARE HOW FILE - FORKS processes on, each left behind by the one before; BARE: the
 * last in /, with no umask and no descriptor.  Then 40 tasks, whose count goes to FILE, and its
 * end: "exit", "_exit" with 5, a number of a "signal", or "wait" for FILE to go.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int bare(void)
{
	umask(0);
	for (int i = 0; i < 64; i++)
		close(i);
	return chdir("/") || open("/dev/null", O_RDWR) < 0 || dup(0) < 0 || dup(0) < 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[3] : "", *name = argc > 4 ? argv[4] : "";
	long n = 0;
	FILE *out;

	for (int i = argc > 4 ? atoi(argv[1]) : 0; i > 0; i--) {
		if (fork())
			_exit(0);
		setsid();
	}
	alarm(100); /* whoever started us may be gone */
	if (argc < 5 || (strcmp(argv[2], "bare") == 0 && bare()))
		return 2;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 40; i++) {
#pragma omp task shared(n)
		{
			usleep(1000);
#pragma omp atomic
			n++;
		}
	}
	out = fopen(name, "w");
	if (!out || fprintf(out, "%ld\n", n) < 0 || fclose(out))
		return 3;
	while (strcmp(how, "wait") == 0 && access(name, F_OK) == 0)
		usleep(10000);
	if (strcmp(how, "_exit") == 0)
		_exit(5);
	if (atoi(how))
		raise(atoi(how));
	return 0;
}

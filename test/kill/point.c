/* SPDX-License-Identifier: MIT */
/*
 * point.c - stops the thread that passes a point of the hand-over (collector/session/point.h).
 *
 * $POINTS is a list, "WHERE NAME NTH TAG;..": where the process is, INSIDE the program or outside,
 * and which passing of which point counts.  The thread makes the file at.TAG in $POINTS_FOLDER,
 * which has its process's number, and goes on once go.TAG is there; or exits with status 5, if
 * exit.TAG is.  It calls the kernel alone.
 */
#include "collector/session/point.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STOPS 4
#define LOOKS 60000 /* each 1 ms: who is forgotten goes on */

#ifdef INSIDE
#define HERE "inside"
#else
#define HERE "outside"
#endif

static void stop(const char *tag)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	char path[300], pid[16];
	long fd;

	snprintf(path, sizeof(path), "%s/at.%s", getenv("POINTS_FOLDER"), tag);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return; /* another process was here before */
	snprintf(pid, sizeof(pid), "%ld\n", syscall(SYS_getpid));
	if (syscall(SYS_write, fd, pid, strlen(pid)) < 0)
		return;
	syscall(SYS_close, fd);
	snprintf(path, sizeof(path), "%s/exit.%s", getenv("POINTS_FOLDER"), tag);
	if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
		syscall(SYS_exit_group, 5);
	snprintf(path, sizeof(path), "%s/go.%s", getenv("POINTS_FOLDER"), tag);
	for (int i = 0; i < LOOKS && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) < 0; i++)
		syscall(SYS_nanosleep, &ms, NULL);
}

void test_point(const char *name)
{
	static _Atomic unsigned n_passed[STOPS];
	const char *at = getenv("POINTS");
	char where[8], point[32], tag[8];
	unsigned nth;
	int n;

	for (int i = 0; at && i < STOPS; i++, at = strchr(at, ';'), at += at != NULL) {
		if (sscanf(at, "%7s %31s %u %7[^;]%n", where, point, &nth, tag, &n) < 4)
			return;
		if (strcmp(where, HERE) == 0 && strcmp(point, name) == 0 &&
		    atomic_fetch_add(&n_passed[i], 1) + 1 == nth)
			stop(tag);
	}
}

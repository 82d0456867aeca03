/* SPDX-License-Identifier: MIT */
/* alone.c - looks at /proc/self/stat by bare system calls: the program may have its own open(). */
#include "collector/inside/alone.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc.h"

#define STAT_STATE 3	/* their numbers in /proc/PID/stat; the name, the second, may have blanks */
#define STAT_THREADS 20 /* with the main thread, even if it has ended */
#define STACK_BYTES (8u << 20) /* what runs at exit is the program's */

/* The start of /proc/self/stat behind the name; NULL if it cannot be read. */
static const char *read_stat(char *text, size_t room)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC), n;

	if (fd < 0)
		return NULL;
	n = syscall(SYS_read, fd, text, room - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	return strrchr(text, ')');
}

bool alone_with(uint32_t n_own)
{
	char text[512];
	int saved = errno;
	const char *at = read_stat(text, sizeof(text));
	bool ended = at && strncmp(at, ") Z", 3) == 0;

	for (int field = STAT_STATE - 1; at && field < STAT_THREADS; field++)
		at = strchr(at + 1, ' ');
	errno = saved;
	return ended && at && strtoul(at, NULL, 10) == 1ul + n_own;
}

static void *leave(void *arg)
{
	sigset_t none;

	(void)arg;
	sigemptyset(&none);
	libc.thread_sigmask(SIG_SETMASK, &none, NULL);
	exit(0);
}

bool alone_leave(void)
{
	pthread_t thread;

	return libc_start_thread(&thread, STACK_BYTES, leave, NULL) == 0;
}

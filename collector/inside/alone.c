/* SPDX-License-Identifier: MIT */
/* alone.c - looks at the main thread, and how many others there are. */
#include "collector/inside/alone.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "collector/inside/self.h"
#include "preload/libc.h"

#define STAT_STATE 3	/* their numbers in /proc/PID/stat */
#define STAT_THREADS 20 /* with the main thread, even if it has ended */
#define STACK_BYTES (8u << 20) /* what runs at exit is the program's */

bool alone_with(uint32_t n_own)
{
	struct self_stat stat;
	const char *state = self_read(&stat) ? self_field(&stat, STAT_STATE) : NULL;
	const char *threads = state && *state == 'Z' ? self_field(&stat, STAT_THREADS) : NULL;

	return threads && strtoul(threads, NULL, 10) == 1ul + n_own;
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

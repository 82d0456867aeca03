/* SPDX-License-Identifier: MIT */
/* alone.c - finds out whether the main thread lives, and how many others there are. */
#include "preload/inside/alone.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "preload/libc.h"
#include "collector/session/clock.h"
#include "collector/session/proc.h"

#define CHECK_NS 100000000u
#define STACK_BYTES (8u << 20) /* what runs at exit is the program's */

/* False where /proc is not to be had. */
static bool is_alone(uint32_t n_own)
{
	struct procstat stat;
	const char *state =
		procstat_read(&stat, 0, 0) ? procstat_field(&stat, PROCSTAT_STATE) : NULL;
	const char *threads =
		state && *state == 'Z' ? procstat_field(&stat, PROCSTAT_THREADS) : NULL;

	return threads && strtoul(threads, NULL, 10) == 1ul + n_own;
}

static void *leave_process(void *arg)
{
	sigset_t none;

	(void)arg;
	sigemptyset(&none);
	libc.thread_sigmask(SIG_SETMASK, &none, NULL);
	exit(0);
}

void alone_check(uint32_t n_own, uint64_t *next_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	pthread_t thread;

	if (now_ns < *next_ns)
		return;
	*next_ns = now_ns + CHECK_NS;
	if (is_alone(n_own) && libc_start_thread(&thread, STACK_BYTES, leave_process, NULL) == 0)
		*next_ns = UINT64_MAX;
}

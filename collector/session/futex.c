/* SPDX-License-Identifier: MIT */
/* futex.c - futex(2) on words that processes share: not the private form of it. */
#include "collector/session/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/kernel.h"

#define FORBIDDEN_NS 1000000
#define LOOK_NS 1000000000u /* a waiter looks itself so often, whoever wakes it */

enum { LOCK_FREE, LOCK_HELD, LOCK_AWAITED };

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / 1000000000u),
				    .tv_nsec = (long)(timeout_ns % 1000000000u) };
	int saved = errno;

	if (kernel_call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout, 0, 0) < 0 &&
	    (errno == EPERM || errno == ENOSYS || errno == EACCES)) {
		/* forbidden: then look again soon, but not all the time */
		struct timespec soon = { .tv_nsec = FORBIDDEN_NS };

		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &soon, NULL);
	}
	errno = saved;
}

void futex_wake(_Atomic uint32_t *word)
{
	int saved = errno;

	kernel_call(SYS_futex, (long)word, FUTEX_WAKE, INT_MAX, 0, 0, 0);
	errno = saved;
}

void futex_lock(_Atomic uint32_t *word)
{
	uint32_t is = LOCK_FREE;

	if (atomic_compare_exchange_strong(word, &is, LOCK_HELD))
		return;
	while (atomic_exchange(word, LOCK_AWAITED) != LOCK_FREE)
		futex_wait(word, LOCK_AWAITED, LOOK_NS);
}

void futex_unlock(_Atomic uint32_t *word)
{
	if (atomic_exchange(word, LOCK_FREE) == LOCK_AWAITED)
		futex_wake(word);
}

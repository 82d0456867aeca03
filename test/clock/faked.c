/* SPDX-License-Identifier: MIT */
/* faked.c - clocks that go ten times slower, as libfaketime makes them for who calls libc. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000L
#define SLOWER 10

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static _Atomic long first;
	long result = syscall(SYS_clock_gettime, clock, now), none = 0, ns;

	if (result < 0 || clock != CLOCK_MONOTONIC)
		return (int)result;
	ns = now->tv_sec * NS + now->tv_nsec;
	atomic_compare_exchange_strong(&first, &none, ns);
	ns = atomic_load(&first) + (ns - atomic_load(&first)) / SLOWER;
	*now = (struct timespec){ .tv_sec = ns / NS, .tv_nsec = ns % NS };
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * pth_futex.c - futex(2) by syscall(2): std::atomic::wait(), std::latch, std::barrier and
 * std::counting_semaphore of libstdc++ and libc++ wait so, and so do many locks of others.
 *
 * Facts [libstdc++ of gcc 11 to 15, bits/atomic_wait.h; glibc 2.31 to 2.36, syscall.S]: syscall()
 * is no cancellation point.  FUTEX_WAIT fails at once with EAGAIN if the word has changed.  A
 * waiter that FUTEX_REQUEUE moves is woken by another word; its wait then ends without a release.
 *
 * The recorder calls syscall(), too, from signal handlers and before any constructor; so all but
 * futex(2) is three comparisons and a jump.  Its own futex(2) does not come by here (kernel.h).
 */
#include "shims/pthread/pth.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "collector/session/kernel.h"
#include "preload/life.h"

typedef long (*syscall_fn)(long number, long a, long b, long c, long d, long e, long f);

#define PARAMETERS (long number, long a, long b, long c, long d, long e, long f)
#define ARGUMENTS (number, a, b, c, d, e, f)

CALL_EXPORT long pth_syscall PARAMETERS __asm__("syscall");

static syscall_fn _Atomic real = kernel_call; /* until libc's is known */
#define NEXT (*atomic_load_explicit(&real, memory_order_relaxed))

__attribute__((constructor)) static void bind_early(void)
{
	syscall_fn found = (syscall_fn)dlsym(RTLD_NEXT, "syscall");

	if (found)
		atomic_store(&real, found);
}

static __attribute__((noinline)) long futex_waits(struct worker *worker, const void *from,
						  long number, long a, long b, long c, long d,
						  long e, long f)
{
	PTH_WAITING waiting = pth_wait(worker, from, WIRE_WAIT_FUTEX, (const void *)a, NULL);
	long result = NEXT ARGUMENTS;

	if (result == -1 && errno == EAGAIN && waiting.task && (worker = worker_self()))
		record_detail(worker, WIRE_NOWAIT, 0);
	return result;
}

static __attribute__((noinline)) long futex_wakes(struct worker *worker, const void *from,
						  long number, long a, long b, long c, long d,
						  long e, long f)
{
	struct waiting released = pth_release(worker, from, (const void *)a);
	long result = NEXT ARGUMENTS;

	waiting_released(&released);
	return result;
}

static __attribute__((noinline)) long futex_called(const void *from, long number, long a, long b,
						   long c, long d, long e, long f)
{
	struct worker *worker = waiting_worker();

	if (pth_passes(worker))
		return NEXT ARGUMENTS;
	switch ((int)b & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return futex_waits(worker, from, number, a, b, c, d, e, f);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if (waiting_for((const void *)a))
			return futex_wakes(worker, from, number, a, b, c, d, e, f);
		break;
	}
	return NEXT ARGUMENTS;
}

/* As libseccomp asks for one. */
static bool is_filter(long number, long a)
{
	return (number == SYS_seccomp && a <= SECCOMP_SET_MODE_FILTER) ||
	       (number == SYS_prctl && a == PR_SET_SECCOMP);
}

static __attribute__((noinline)) long filter_called PARAMETERS
{
	life_filters(true);
	long result = NEXT ARGUMENTS;

	if (result < 0)
		life_filters(false);
	return result;
}

/* Hot path: whatever the program asks of the kernel by number. */
CALL_EXPORT long pth_syscall PARAMETERS
{
	if (__builtin_expect(number != SYS_futex, 1)) {
		if (is_filter(number, a))
			return filter_called ARGUMENTS;
		return NEXT ARGUMENTS;
	}
	return futex_called(FROM, number, a, b, c, d, e, f);
}

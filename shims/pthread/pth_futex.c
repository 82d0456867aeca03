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
 * futex(2) is one comparison and a jump.
 */
#include "shims/pthread/pth.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

typedef long (*syscall_fn)(long number, long a, long b, long c, long d, long e, long f);

#define PARAMETERS (long number, long a, long b, long c, long d, long e, long f)
#define ARGUMENTS (number, a, b, c, d, e, f)

CALL_EXPORT long pth_syscall PARAMETERS __asm__("syscall");

/* Until libc's is known. */
static long enter_kernel PARAMETERS
{
	long result;

#ifdef __x86_64__
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	result = x0;
#else
#error "how does one call the kernel here?"
#endif
	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

static syscall_fn _Atomic real = enter_kernel;
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
	WAITING waiting = pth_wait(worker, from, WIRE_WAIT_FUTEX, (const void *)a);
	long result = NEXT ARGUMENTS;

	if (result == -1 && errno == EAGAIN && (worker = worker_self()))
		record_detail(worker, WIRE_NOWAIT, 0);
	return result;
}

static __attribute__((noinline)) long futex_wakes(struct worker *worker, long number, long a,
						  long b, long c, long d, long e, long f)
{
	struct waiting released = waiting_release(worker, (const void *)a);
	long result = NEXT ARGUMENTS;

	waiting_released(&released);
	return result;
}

static __attribute__((noinline)) long futex_called(const void *from, long number, long a, long b,
						   long c, long d, long e, long f)
{
	struct worker *worker;

	switch ((int)b & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		worker = waiting_worker();
		if (worker)
			return futex_waits(worker, from, number, a, b, c, d, e, f);
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		worker = waiting_releaser((const void *)a);
		if (worker)
			return futex_wakes(worker, number, a, b, c, d, e, f);
		break;
	}
	return NEXT ARGUMENTS;
}

/* Hot path: whatever the program asks of the kernel by number. */
CALL_EXPORT long pth_syscall PARAMETERS
{
	if (__builtin_expect(number != SYS_futex, 1))
		return NEXT ARGUMENTS;
	return futex_called(FROM, number, a, b, c, d, e, f);
}

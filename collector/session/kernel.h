/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - system calls that nobody can interpose: syscall(2) is a function of libc, and a shim
 * of our own wraps it.  Any thread, signal handlers, too.
 */
#pragma once

#include <errno.h>

/* As syscall(2): the result, or -1 and errno. */
static inline long kernel_call(long number, long a, long b, long c, long d, long e, long f)
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

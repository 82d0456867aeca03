/* SPDX-License-Identifier: MIT */
/*
 * jumps.c - preloaded: the time stamp counter jumps by JUMPS_BY_MS, 400 ms after the program began.
 *
 * The kernel makes rdtsc a fault, and the handler reads the counter and adds to it, except for the
 * vDSO, whose CLOCK_MONOTONIC stays right.  Who blocks all signals does not block this one.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define AFTER_NS 400000000.
#define VDSO_BYTES 0x4000
#define SEGV_BIT (UINT64_C(1) << (SIGSEGV - 1))

static uint64_t at, by;

static uint64_t real_ticks(void)
{
	uint32_t low, high;

	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return (uint64_t)high << 32 | low;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)reg[REG_RIP];
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR), ticks;
	int bytes = code[0] == 0x0f && code[1] == 0x31		       ? 2
		    : code[0] == 0x0f && code[1] == 1 && code[2] == 0xf9 ? 3
									 : 0;

	(void)info;
	if (!bytes) {
		signal(number, SIG_DFL);
		return;
	}
	ticks = real_ticks();
	if (ticks >= at && (uint64_t)reg[REG_RIP] - vdso >= VDSO_BYTES)
		ticks += by;
	reg[REG_RAX] = (greg_t)(ticks & UINT32_MAX);
	reg[REG_RDX] = (greg_t)(ticks >> 32);
	if (bytes == 3)
		reg[REG_RCX] = 0;
	reg[REG_RIP] += bytes;
}

int sigfillset(sigset_t *set)
{
	sigemptyset(set);
	for (int number = 1; number < NSIG; number++)
		if (number != SIGSEGV)
			sigaddset(set, number);
	return 0;
}

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long arg[6];
	uint64_t without;
	va_list list;

	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_rt_sigprocmask && arg[1]) {
		without = *(const uint64_t *)arg[1] & ~SEGV_BIT;
		arg[1] = (long)&without;
	}
	return next(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static double ticks_a_ns(void)
{
	struct timespec begin, end, pause = { .tv_nsec = 20000000 };
	uint64_t ticks = real_ticks();

	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ticks = real_ticks() - ticks;
	return (double)ticks / ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
				(double)(end.tv_nsec - begin.tv_nsec));
}

__attribute__((constructor)) static void begin(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	const char *ms = getenv("JUMPS_BY_MS");
	double rate;

	if (!ms)
		return;
	rate = ticks_a_ns();
	at = real_ticks() + (uint64_t)(AFTER_NS * rate);
	by = (uint64_t)(int64_t)(atof(ms) * 1e6 * rate);
	sigaction(SIGSEGV, &action, NULL);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0)
		fputs("jumps: not on this machine\n", stderr);
}

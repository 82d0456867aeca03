/* SPDX-License-Identifier: MIT */
/*
 * jumps.c - preloaded: the time stamp counter jumps by JUMPS_BY_MS, 600 ms after it was read first;
 * or, with JUMPS_APART, those of odd CPUs are ahead by as much from the start.
 *
 * The kernel makes rdtsc a fault, and the handler reads the counter and adds to it, except for the
 * vDSO, whose CLOCK_MONOTONIC stays right.  Who blocks all signals does not block this one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu() */
#endif
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../bench/now.h"

#define AFTER_NS 600000000. /* the recorder has seen some of the clock's own rate */
#define TORN_NS 50000	    /* between two readings of which one vouches for the other */
#define VDSO_BYTES 0x4000
#define SEGV_BIT (UINT64_C(1) << (SIGSEGV - 1))

static _Atomic uint64_t at;
static uint64_t after, by;
static bool apart;

static uint64_t real_ticks(void)
{
	uint32_t low, high;

	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return (uint64_t)high << 32 | low;
}

static uint64_t jumped(uint64_t ticks)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&at, &none, ticks + after);
	return (apart ? sched_getcpu() & 1 : ticks >= atomic_load(&at)) ? ticks + by : ticks;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)reg[REG_RIP];
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR), ticks;
	int bytes = code[0] == 0x0f && code[1] == 0x31			 ? 2
		    : code[0] == 0x0f && code[1] == 1 && code[2] == 0xf9 ? 3
									 : 0;

	(void)info;
	if (!bytes) {
		signal(number, SIG_DFL);
		return;
	}
	ticks = real_ticks();
	if ((uint64_t)reg[REG_RIP] - vdso >= VDSO_BYTES)
		ticks = jumped(ticks);
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

/* The counter and the ns of one instant, however often the thread has to wait for a processor. */
static uint64_t ticks_at(int64_t *ns)
{
	uint64_t ticks;
	int64_t before;

	do {
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
		before = now_ns();
		__asm__ volatile("rdtsc; shl $32, %%rdx; or %%rdx, %0" : "=a"(ticks) : : "rdx");
		*ns = now_ns();
	} while (*ns - before > TORN_NS);
	return ticks;
}

static double ticks_a_ns(void)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	int64_t begin_ns, end_ns;
	uint64_t begin = ticks_at(&begin_ns), end;

	nanosleep(&pause, NULL);
	end = ticks_at(&end_ns);
	return (double)(end - begin) / (double)(end_ns - begin_ns);
}

/* Reads the counter once, as the recorder does, and forgets that it was read. */
static bool faults(void)
{
	uint32_t low, high;
	bool it_was;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	it_was = atomic_load(&at) != 0;
	atomic_store(&at, 0);
	return it_was;
}

__attribute__((constructor)) static void begin(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	const char *ms = getenv("JUMPS_BY_MS");
	double rate;

	if (!ms)
		return;
	rate = ticks_a_ns();
	apart = getenv("JUMPS_APART");
	after = (uint64_t)(AFTER_NS * rate);
	by = (uint64_t)(int64_t)(atof(ms) * 1e6 * rate);
	sigaction(SIGSEGV, &action, NULL);
	/* a virtual machine may take the wish and do nothing */
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0 || !faults())
		fputs("jumps: not on this machine\n", stderr);
}

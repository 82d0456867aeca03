/* SPDX-License-Identifier: MIT */
/*
 * restart.h - the counter of a CPU, and which CPU that was, as one: rseq(2).
 *
 * A thread that is moved to another CPU, or interrupted, between the two readings begins afresh:
 * the kernel sees to that, also if the thread is back on the same CPU before it goes on.  libc
 * registers each thread (glibc 2.35); elsewhere nothing is known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
/* From the thread pointer; and 0 where libc registers none [sys/rseq.h]. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

#define RESTART_CPU "4"	    /* offsets in struct rseq [linux/rseq.h]: cpu_id, .. */
#define RESTART_SECTION "8" /* .. rseq_cs */

static inline bool restart_on(void)
{
	return &__rseq_size && &__rseq_offset && __rseq_size;
}

/* The CPU's number is more than any CPU's for a thread that is not registered. */
static inline bool restart_ticks(uint32_t *cpu, uint64_t *ticks)
{
	uint32_t low, high, at;
	char *area;

	if (!restart_on())
		return false;
	__asm__("movq %%fs:0, %0" : "=r"(area));
	area += __rseq_offset;
	__asm__ volatile(".pushsection tptrace_restart, \"aw\"\n\t"
			 ".balign 32\n"
			 "1:\n\t"
			 ".long 0, 0\n\t"
			 ".quad 3f, 4f - 3f, 5f\n\t"
			 ".popsection\n"
			 "2:\n\t"
			 "leaq 1b(%%rip), %%rdx\n\t"
			 "movq %%rdx, " RESTART_SECTION "(%[area])\n"
			 "3:\n\t"
			 "movl " RESTART_CPU "(%[area]), %[at]\n\t"
			 "rdtsc\n"
			 "4:\n\t"
			 "movq $0, " RESTART_SECTION "(%[area])\n\t"
			 ".pushsection tptrace_restarts, \"ax\"\n\t"
			 ".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1, with .. */
			 ".long 0x53053053\n" /* .. the signature that libc registers */
			 "5:\n\t"
			 "jmp 2b\n\t"
			 ".popsection"
			 : [at] "=&r"(at), "=&a"(low), "=&d"(high)
			 : [area] "r"(area)
			 : "memory");
	*cpu = at;
	*ticks = (uint64_t)high << 32 | low;
	return true;
}
#else
static inline bool restart_on(void)
{
	return false;
}

static inline bool restart_ticks(uint32_t *cpu, uint64_t *ticks)
{
	(void)cpu;
	(void)ticks;
	return false;
}
#endif

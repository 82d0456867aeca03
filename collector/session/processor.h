/* SPDX-License-Identifier: MIT */
/*
 * processor.h - what of collector/ and preload/ depends on the processor, but for its clock.
 * Another one is another part of this file.
 *
 * PROCESSOR_PAGE	the largest page that there is, or more
 * PROCESSOR_UNWIND	a function of libunwind, and its numbers of two registers
 * PROCESSOR_IP, _SP	of a signal's ucontext_t; _REGS, if any, are those of sample_place.h
 * processor_call	a system call: its result, or -errno
 * processor_relax	for each round of a loop that waits
 * processor_will_store	what lies there is stored to soon: asks the other processors for its line
 * processor_run_on	calls function(arg) on the stack that ends at top
 * processor_calls	whether what returns to `after` was called by its name, and where that leads
 *			to, or 0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PROCESSOR_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__LP64__)

#define PROCESSOR_PAGE 8192u
#define PROCESSOR_UNWIND(name) "_ULx86_64_" name
#define PROCESSOR_UNWIND_IP 16
#define PROCESSOR_UNWIND_SP 7
#define PROCESSOR_IP(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RIP])
#define PROCESSOR_SP(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RSP])
#define PROCESSOR_REGS                                                                             \
	REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, REG_R8,   \
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15

PROCESSOR_INLINE long processor_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

PROCESSOR_INLINE void processor_relax(void)
{
	__builtin_ia32_pause();
}

/*
 * A line that the collector has read comes back in 215 ns where the two processors share no cache,
 * and stores wait for one after the other: fib on one worker took x 4 instead of x 1.7 then.
 * __builtin_prefetch() would leave the others a copy but for -mprfchw; old processors skip this.
 */
PROCESSOR_INLINE void processor_will_store(const void *there)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)there));
}

/* What the called one may change is listed; the register that keeps the stack is the caller's. */
PROCESSOR_INLINE void processor_run_on(void *top, void (*function)(void *arg), void *arg)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg), [top] "+r"(top), [function] "+r"(function)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
			   "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

/* call, or call by a word of a table. */
PROCESSOR_INLINE bool processor_calls(const uint8_t *after, uint64_t *leads_to)
{
	int32_t distance;

	memcpy(&distance, after - sizeof(distance), sizeof(distance));
	*leads_to = (uint64_t)(uintptr_t)after + (uint64_t)(int64_t)distance;
	return after[-5] == 0xe8 || (after[-5] == 0x15 && after[-6] == 0xff);
}

#elif defined(__aarch64__) && defined(__LP64__)

#define PROCESSOR_PAGE 65536u
#define PROCESSOR_UNWIND(name) "_ULaarch64_" name
#define PROCESSOR_UNWIND_IP 30
#define PROCESSOR_UNWIND_SP 31
#define PROCESSOR_IP(context) ((uint64_t)(context)->uc_mcontext.pc)
#define PROCESSOR_SP(context) UINT64_C(0) /* no stack is read */

PROCESSOR_INLINE long processor_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

PROCESSOR_INLINE void processor_relax(void)
{
	__asm__ volatile("yield");
}

PROCESSOR_INLINE void processor_will_store(const void *there)
{
	__builtin_prefetch(there, 1);
}

PROCESSOR_INLINE void processor_run_on(void *top, void (*function)(void *arg), void *arg)
{
	register void *first __asm__("x0") = arg;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[top]\n\t"
			 "blr %[function]\n\t"
			 "mov sp, x19"
			 : "+r"(first)
			 : [top] "r"(top), [function] "r"(function)
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory",
			   "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",
			   "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
			   "v28", "v29", "v30", "v31");
}

/* bl: the function, or what jumps to it, in the same module. */
PROCESSOR_INLINE bool processor_calls(const uint8_t *after, uint64_t *leads_to)
{
	uint32_t instruction;

	memcpy(&instruction, after - sizeof(instruction), sizeof(instruction));
	*leads_to = 0;
	return instruction >> 26 == 0x25;
}

#else
#error "what does the recorder need on this processor?"
#endif

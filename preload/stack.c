/* SPDX-License-Identifier: MIT */
/* stack.c - goes to another stack and back. */
#include "preload/stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc.h"

/* libc's own signals, 32 and 33, must always get through. */
#define SIGNALS (~(UINT64_C(3) << 31))

int stack_call(size_t bytes, void (*function)(void *arg), void *arg)
{
	const uint64_t signals = SIGNALS;
	uint64_t before = 0;
	int saved = errno, cancels = PTHREAD_CANCEL_ENABLE;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED) {
		errno = saved;
		return -ENOMEM;
	}
	/* cancelling unwinds, and would come to the end of this stack */
	libc.setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof(signals));
	stack_run((char *)stack + bytes, function, arg);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	libc.setcancelstate(cancels, NULL);
	munmap(stack, bytes);
	errno = saved;
	return 0;
}

/* What the called one may change is listed; the register that keeps the stack is the caller's. */
__attribute__((noinline)) void stack_run(void *top, void (*function)(void *arg), void *arg)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg), [top] "+r"(top), [function] "+r"(function)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
			   "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#elif defined(__aarch64__)
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
#else
#error "how to go to another stack on this machine?"
#endif
}

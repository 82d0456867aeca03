/* SPDX-License-Identifier: MIT */
/* stack.c - goes to another stack and back by libc's contexts, which lie outside of either. */
#include "preload/stack.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
	ucontext_t here, there;
	void (*function)(void *arg);
	void *arg;
} call;

/* libc's own signals, 32 and 33, must always get through. */
#define SIGNALS (~(UINT64_C(3) << 31))

static void enter(void)
{
	call.function(call.arg);
}

int stack_call(size_t bytes, void (*function)(void *arg), void *arg)
{
	const uint64_t signals = SIGNALS;
	uint64_t before = 0;
	int saved = errno;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED) {
		errno = saved;
		return -ENOMEM;
	}
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof(signals));
	call.function = function;
	call.arg = arg;
	getcontext(&call.there);
	call.there.uc_stack.ss_sp = stack;
	call.there.uc_stack.ss_size = bytes;
	call.there.uc_link = &call.here;
	makecontext(&call.there, enter, 0);
	swapcontext(&call.here, &call.there);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	munmap(stack, bytes);
	errno = saved;
	return 0;
}

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

#include "collector/session/processor.h"
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

__attribute__((noinline)) void stack_run(void *top, void (*function)(void *arg), void *arg)
{
	processor_run_on(top, function, arg);
}

/* SPDX-License-Identifier: MIT */
/* sleeper.c - reads /proc/PID/task/TID/syscall and the sleeping thread's stack. */
#include "tools/sample/sleeper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int sleeper_open(int pid, uint32_t thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u/syscall", pid, thread);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* "NUMBER ARGUMENTS SP PC" of a call, "-1 SP PC" elsewhere in the kernel, "running". */
static bool read_place(char *text, struct unwind_start *at)
{
	char *pc = strrchr(text, ' '), *sp;

	if (!pc)
		return false;
	*pc++ = 0;
	sp = strrchr(text, ' ');
	if (!sp)
		return false;
	*at = (struct unwind_start){ .ip = strtoull(pc, NULL, 16), .sp = strtoull(sp, NULL, 16) };
	return at->ip && at->sp;
}

bool sleeper_look(int fd, int pid, char stack[SLEEPER_STACK], struct unwind_start *at)
{
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	struct iovec to = { stack, SLEEPER_STACK }, from = { NULL, SLEEPER_STACK };

	text[n > 0 ? n : 0] = 0;
	if (n <= 0 || !read_place(text, at))
		return false;
	from.iov_base = (void *)(uintptr_t)at->sp;
	n = process_vm_readv(pid, &to, 1, &from, 1, 0); /* fewer bytes at the stack's end */
	at->stack = stack;
	at->bytes = n > 0 ? (size_t)n : 0;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* file_limit.c - blocks SIGXFSZ for a while, and takes the one that came. */
#include "collector/session/file_limit.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t xfsz = UINT64_C(1) << (SIGXFSZ - 1);

/* Bare calls: a wrapper of the program's sees none of this. */
static bool is_pending(void)
{
	uint64_t set = 0;

	return syscall(SYS_rt_sigpending, &set, sizeof(set)) == 0 && set & xfsz;
}

struct file_limit file_limit_hold(void)
{
	struct file_limit held = { 0 };
	int saved = errno;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &xfsz, &held.mask, sizeof(xfsz));
	held.pending = is_pending();
	errno = saved;
	return held;
}

void file_limit_release(const struct file_limit *held)
{
	struct timespec now = { 0 }; /* the kernel writes to it */
	int saved = errno;

	if (!held->pending && is_pending())
		syscall(SYS_rt_sigtimedwait, &xfsz, NULL, &now, sizeof(xfsz));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held->mask, NULL, sizeof(held->mask));
	errno = saved;
}

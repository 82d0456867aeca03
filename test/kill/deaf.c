/* SPDX-License-Identifier: MIT */
/* deaf.c - preloaded into `record`: it never hears that a child has ended, by SIGCHLD. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

ssize_t read(int fd, void *out, size_t bytes)
{
	ssize_t (*next)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	const struct signalfd_siginfo *info = out;
	ssize_t n = next(fd, out, bytes);

	if (n != sizeof(*info) || bytes != sizeof(*info) || info->ssi_signo != SIGCHLD)
		return n;
	errno = EAGAIN;
	return -1;
}

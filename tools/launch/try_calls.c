/* SPDX-License-Identifier: MIT */
/* try_calls.c - makes each of the calls once, where it does nothing, and asks for the limits. */
#include "tools/launch/try_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/outside/serve.h"
#include "collector/session/environment.h"
#include "collector/session/process_limit.h"
#include "tools/base/threads.h"

/* Descriptors of a collector with one process: two sockets, three to wake and to refuse, that of
 * the process, its memory and pidfd, and two to make the trace (drain.h). */
#define DESCRIPTORS_LEAST 10u

static bool is_allowed_wait(int result)
{
	return result >= 0 || errno == ECHILD; /* nobody is a child of its own */
}

/* Of no descriptor. */
static bool is_allowed_call(int result)
{
	return result >= 0 || errno == EBADF;
}

int try_calls(void)
{
	struct serve_message message = { .kind = SERVE_ASK };
	struct serve_kept session;
	struct iovec piece = { &message, sizeof(message) };
	const struct msghdr header = { .msg_iov = &piece, .msg_iovlen = 1 };
	siginfo_t info;
	int pair[2] = { -1, -1 }, tube[2] = { -1, -1 }, error = 0;

	if (poll(NULL, 0, 0) < 0 ||
	    !is_allowed_wait(waitid(P_PID, (id_t)getpid(), &info, WEXITED | WNOHANG)) ||
	    !is_allowed_wait(waitpid(getpid(), NULL, WNOHANG)) ||
	    !is_allowed_call(accept4(-1, NULL, NULL, SOCK_CLOEXEC)) ||
	    !is_allowed_call(getsockopt(-1, SOL_SOCKET, SO_PEERCRED, NULL, NULL)) ||
	    !is_allowed_call(fcntl(-1, F_GET_SEALS)) || pipe2(tube, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
	    send(pair[0], &message, sizeof(message), MSG_NOSIGNAL) < 0 ||
	    recv(pair[1], &message, sizeof(message), MSG_DONTWAIT) < 0 ||
	    sendmsg(pair[0], &header, MSG_NOSIGNAL) < 0 ||
	    serve_receive(pair[1], &message, &session) < 0)
		error = -errno;
	for (int i = 0; i < 2; i++) {
		close(pair[i]);
		close(tube[i]);
	}
	return error;
}

/* Else the program would wait for a collector that cannot answer.  That raises its limit. */
static bool has_descriptors(void)
{
	struct rlimit files;
	unsigned n_free = 0;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return true;
	for (rlim_t fd = 0; fd < files.rlim_max && n_free < DESCRIPTORS_LEAST; fd++)
		n_free += fcntl((int)fd, F_GETFD) < 0;
	return n_free == DESCRIPTORS_LEAST;
}

/* Else the program collects by itself, if that leaves it enough. */
static bool has_processes(void)
{
	const char *asked = getenv("TPTRACE_COLLECTOR_THREADS");
	uint32_t n_cpus = threads_usual();
	uint64_t n;

	if (!asked || !options_collector_threads(asked, &n))
		n = n_cpus;
	return process_limit_fits(1 + (uint32_t)n, n_cpus); /* the collector, and its threads */
}

int try_limits(void)
{
	if (!has_descriptors())
		return -EMFILE;
	return has_processes() ? 0 : -EAGAIN;
}

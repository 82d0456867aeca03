/* SPDX-License-Identifier: MIT */
/* handover.c - connects to a collector outside and sends it the session's memory. */
#include "preload/inside/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/session/environment.h"
#include "collector/session/hello.h"
#include "preload/inside/log.h"
#include "preload/session.h"
#include "preload/worker.h"

static int connect_to(const char *name)
{
	const struct timeval patience = { .tv_sec = HELLO_WAIT_S };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t bytes = strlen(name);
	int fd, status;

	if (bytes >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path + 1, name, bytes);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	do
		status = connect(fd, (struct sockaddr *)&address,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes));
	while (status < 0 && errno == EINTR);
	if (status < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

/* Nobody else's program gets to see what ours does.  The peer is who called listen(): record. */
static int check_peer(int fd)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0)
		return -errno;
	return peer.uid == geteuid() ? 0 : -EPERM;
}

/* The answer, and whose it is: the collector's number as it is in here, 0 if it has none here. */
static int receive_answer(int fd, int *pid)
{
	char answer = 0;
	struct iovec piece = { &answer, 1 };
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *part;
	struct ucred who;
	ssize_t n;

	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	part = CMSG_FIRSTHDR(&message);
	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS &&
	    part->cmsg_len == CMSG_LEN(sizeof(who))) {
		memcpy(&who, CMSG_DATA(part), sizeof(who));
		*pid = who.pid;
	}
	return n == 1 && answer == HELLO_YES ? 0 : -ECONNREFUSED;
}

static int send_memory(int fd, int memory)
{
	struct hello hello = { .layout = SESSION_LAYOUT };
	struct iovec piece = { &hello, sizeof(hello) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	ssize_t n;

	memcpy(hello.magic, HELLO_MAGIC, sizeof(hello.magic));
	hello_time_space(hello.time_space);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &memory, sizeof(int));
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/*
 * Another open file of the same memory, for the collector, so that it can see by a lock on ours
 * when the last mapping of the process is gone: by exec, of which a pidfd says nothing.  Ours if
 * there is no such thing.
 */
static int open_again(int memory, bool *locked)
{
	char path[40];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	again = open(path, O_RDWR | O_CLOEXEC);
	*locked = again >= 0 && flock(memory, LOCK_EX | LOCK_NB) == 0;
	return again >= 0 ? again : memory;
}

/* 0, or -errno and what failed. */
static int collector_join(const char *name, const char **doing)
{
	const int yes = 1;
	int fd = connect_to(name), memory = -1, sent = -1, pid = 0, error;
	struct session *session;
	bool locked;

	*doing = "cannot connect";
	if (fd < 0)
		return fd;
	error = check_peer(fd);
	if (error)
		goto out;
	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
	memory = session_share(SHARED_MEMFD);
	*doing = memory == -EFBIG
			 ? "the limit of file sizes (ulimit -f) is too small to share memory"
			 : "cannot share memory";
	error = memory < 0 ? memory : 0;
	if (!error && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		error = -errno;
	if (error)
		goto out;
	session = session_get();
	session->outside = 1;
	*doing = "cannot hand over the memory";
	sent = open_again(memory, &locked);
	session->locked = locked;
	error = send_memory(fd, sent);
	if (!error)
		error = receive_answer(fd, &pid);
	session->collector_pid = pid;
	session->outside = !error;
out:
	if (sent >= 0 && sent != memory)
		close(sent);
	if (memory >= 0)
		close(memory);
	close(fd);
	return error;
}

bool handover_join(const struct session *session)
{
	const char *name = options_variable(HELLO_VARIABLE), *doing;
	int error;

	if (!name || !*name || strcmp(name, HELLO_INSIDE) == 0)
		return false;
	error = collector_join(name, &doing);
	if (error == -EAGAIN) /* by HELLO_WAIT_S */
		error = -ETIMEDOUT;
	if (error && session->process.detailed)
		log_say("tptrace: cannot use the external collector: %s: %s; collecting inside "
			"the process",
			doing, strerror(-error));
	return error == 0;
}

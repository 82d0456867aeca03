/* SPDX-License-Identifier: MIT */
/*
 * ask.c - answers who wants to control a recording.
 *
 *	tptrace snapshot 4711			the collector's thread, between two rounds
 *	connects to @tptrace.4711		accepts, and asks the kernel whose that is
 *	"snapshot\n"				drain_snapshot(): all that is there now
 *	prints the path				"ok /home/me/tptrace.fib.4711.snapshot1.tpt\n"
 *
 * Who connects and says nothing is waited for 0.2 s; meanwhile the program records into its chunks.
 */
#include "collector/talk/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/address.h"
#include "collector/trace/stat.h"
#include "collector/session/gate.h"

#define ACCEPT_NS 50000000u /* between two attempts to accept a connection */
#define REQUEST_WAIT_MS 200 /* who has connected has so long to say what for */
#define FULL_ANSWER "error the program starts and stops too often; try again\n"

static bool still_ours(const struct ask *ask)
{
	return fd_has(ask->fd, ask->device, ask->inode);
}

/* By that name, or, if somebody else has it, by one that nobody can have taken. */
static int bind_as(int fd, int pid)
{
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, pid, 0);
	uint64_t number;

	if (bind(fd, (struct sockaddr *)&address, bytes) == 0)
		return 0;
	if (errno != EADDRINUSE ||
	    syscall(SYS_getrandom, &number, sizeof(number), 0) != sizeof(number))
		return -1;
	bytes = address_of(&address, pid, number);
	return bind(fd, (struct sockaddr *)&address, bytes);
}

static int listen_as(int pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

	if (fd >= 0)
		close(fd);
	fd = high; /* where there are no such numbers, the few that there are have better uses */
	/* 8: one `tptrace` asks at a time, and scripts few */
	if (fd >= 0 && (bind_as(fd, pid) < 0 || listen(fd, 8) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

void ask_open(struct ask *ask, const struct session *session, int pid)
{
	struct stat st = { 0 };

	*ask = (struct ask){ .fd = -1 };
	if (!session->options.no_control)
		ask->fd = listen_as(pid);
	if (ask->fd >= 0 && stat_fd(ask->fd, &st) == 0) {
		ask->device = st.st_dev;
		ask->inode = st.st_ino;
	}
}

void ask_close(struct ask *ask)
{
	if (still_ours(ask))
		syscall(SYS_close, ask->fd);
	*ask = (struct ask){ .fd = -1 };
}

static void answer_start(struct drain *drain, char *out, size_t room)
{
	enum gate_turn turn = gate_start(drain->session);

	if (turn == GATE_TURNED)
		snprintf(out, room, "ok\n");
	else if (turn == GATE_FULL)
		snprintf(out, room, FULL_ANSWER);
	else if (drain->full)
		snprintf(out, room, "error %s\n",
			 drain->file.full ? drain->file.err.text
					  : "the trace has reached its size limit");
	else
		snprintf(out, room, "ok it was recording\n");
}

static void answer_stop(struct drain *drain, char *out, size_t room)
{
	enum gate_turn turn = gate_stop(drain->session, drain->worker_at, drain->arg);

	if (turn == GATE_FULL)
		snprintf(out, room, FULL_ANSWER);
	else
		snprintf(out, room, turn == GATE_TURNED ? "ok\n" : "ok it was stopped\n");
}

/* A snapshot's path, and the folder that it is in. */
struct places {
	char path[PATH_MAX], folder[PATH_MAX];
};

static void answer_path(struct places *at, char *out, size_t room)
{
	if (at->path[0] != '/' && getcwd(at->folder, sizeof(at->folder)))
		snprintf(out, room, "ok %s/%s\n", at->folder, at->path);
	else
		snprintf(out, room, "ok %s\n", at->path);
}

static void answer_snapshot(struct drain *drain, char *out, size_t room)
{
	struct places *at = calloc(1, sizeof(*at));
	struct err err = { .text = "out of memory" };

	if (!at || drain_snapshot(drain, at->path, sizeof(at->path), &err) < 0)
		snprintf(out, room, "error %s\n", err.text);
	else
		answer_path(at, out, room);
	free(at);
}

/* Where the trace is, which has all up to now. */
static void answer_trace(struct drain *drain, char *out, size_t room)
{
	struct places *at = calloc(1, sizeof(*at));
	struct err err = { .text = "out of memory" };

	if (drain->flight.max_bytes)
		snprintf(out, room, "error the newest events are kept in memory; try `tptrace "
				    "snapshot`\n");
	else if (!at || drain_flush(drain, clock_pair(&drain->session->clock), &err) < 0)
		snprintf(out, room, "error %s\n", err.text);
	else {
		snprintf(at->path, sizeof(at->path), "%s", drain->file.path);
		answer_path(at, out, room);
	}
	free(at);
}

static void request_answer(struct drain *drain, const char *request, char *out, size_t room)
{
	/* requests of a later tptrace are answered, too, so that it can say what is wrong */
	if (strcmp(request, "start") == 0)
		answer_start(drain, out, room);
	else if (strcmp(request, "stop") == 0)
		answer_stop(drain, out, room);
	else if (strcmp(request, "snapshot") == 0)
		answer_snapshot(drain, out, room);
	else if (strcmp(request, "trace") == 0)
		answer_trace(drain, out, room);
	else
		snprintf(out, room, "error unknown request\n");
}

/* Why whoever connects may not ask; NULL if he may. */
static const char *why_not(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	/* an abstract name has no permissions: the kernel's word on who connects is all there is */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) < 0)
		return strerror(errno);
	return who.uid == 0 || who.uid == geteuid() || who.uid == getuid() ? NULL : "not yours";
}

/* Reads a line; false if none comes soon. */
static bool read_line(int fd, char *out, size_t room)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	size_t n = 0;

	while (n + 1 < room && poll(&in, 1, REQUEST_WAIT_MS) > 0) {
		ssize_t got = recv(fd, out + n, room - 1 - n, MSG_DONTWAIT);

		if (got <= 0)
			return false;
		n += (size_t)got;
		out[n] = 0;
		if (strchr(out, '\n')) {
			*strchr(out, '\n') = 0;
			return true;
		}
	}
	return false;
}

static void ask_answer(struct drain *drain, int fd)
{
	const size_t room = 2 * PATH_MAX + 16;
	char request[32], *text = malloc(room);
	const char *refused = why_not(fd);

	if (!text)
		return;
	if (refused)
		snprintf(text, room, "error %s\n", refused);
	else if (read_line(fd, request, sizeof(request)))
		request_answer(drain, request, text, room);
	else
		snprintf(text, room, "error no request came\n");
	/* who asks and does not read must neither stop the collector nor end the program */
	send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	free(text);
}

static void do_asked(struct drain *drain)
{
	uint32_t asked = gate_asked(drain->session);

	if (asked & SESSION_ASK_TOGGLE &&
	    gate_stop(drain->session, drain->worker_at, drain->arg) == GATE_UNCHANGED)
		gate_start(drain->session);
	if (asked & SESSION_ASK_SNAPSHOT) {
		char *path = malloc(PATH_MAX);
		struct err err;

		if (path)
			drain_snapshot(drain, path, PATH_MAX, &err);
		free(path);
	}
}

void ask_round(struct ask *ask, struct drain *drain)
{
	uint64_t now_ns = clock_monotonic_ns();
	int fd;

	/* signals set a word, which costs a load; to accept a connection is a system call */
	do_asked(drain);
	if (now_ns - ask->tried_ns < ACCEPT_NS || !still_ours(ask))
		return;
	ask->tried_ns = now_ns;
	fd = accept4(ask->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	ask_answer(drain, fd);
	close(fd);
	ask->tried_ns = 0; /* there may be more */
}

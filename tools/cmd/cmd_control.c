/* SPDX-License-Identifier: MIT */
/* cmd_control.c - tptrace start, stop and snapshot: asks a traced process for it. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/session/address.h"
#include "tools/cmd/cmd.h"
#include "tools/cmd/command.h"

#define ANSWER_MS 60000 /* a snapshot may be large */

/* Whose process it is; false if there is none. */
static bool owner_of(int pid, uid_t *uid)
{
	char path[40];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st) < 0)
		return false;
	*uid = st.st_uid;
	return true;
}

/* Whoever answers has to be the process's own user, or root: names can be taken by anybody. */
static bool is_theirs(int fd, uid_t owner)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == owner || who.uid == 0);
}

static int connect_to(int pid, struct err *err)
{
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, pid);
	uid_t owner;
	int fd;

	if (!owner_of(pid, &owner))
		return err_set(err, ESRCH, "process %d: no such process", pid);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(err, errno, "process %d: %s", pid, strerror(errno));
	if (connect(fd, (struct sockaddr *)&address, bytes) == 0 && is_theirs(fd, owner))
		return fd;
	close(fd);
	return err_set(err, ECONNREFUSED,
		       "process %d is not traced, or has not created a task yet; start it under "
		       "`tptrace record`",
		       pid);
}

/* Reads what comes until the other end closes. */
static int read_answer(int fd, int pid, char *out, size_t room, struct err *err)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got = 1;

	while (got > 0 && n + 1 < room) {
		if (poll(&in, 1, ANSWER_MS) == 0)
			return err_set(err, ETIMEDOUT, "process %d does not answer; is it stopped?",
				       pid);
		got = recv(fd, out + n, room - 1 - n, 0);
		n += got > 0 ? (size_t)got : 0;
	}
	out[n] = 0;
	out[strcspn(out, "\n")] = 0;
	return n ? 0 : err_set(err, EPIPE, "process %d ended before it answered", pid);
}

static int ask(const char *command, int pid, struct err *err)
{
	char text[2 * PATH_MAX + 16];
	int fd = connect_to(pid, err);
	int error = fd < 0 ? fd : 0;

	if (!error) {
		int n = snprintf(text, sizeof(text), "%s\n", command);

		if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
			error = err_set(err, errno, "process %d: %s", pid, strerror(errno));
	}
	if (!error)
		error = read_answer(fd, pid, text, sizeof(text), err);
	if (fd >= 0)
		close(fd);
	if (error)
		return error;
	if (strncmp(text, "ok", 2) != 0)
		return err_set(err, EPERM, "process %d: %s", pid,
			       strncmp(text, "error ", 6) == 0 ? text + 6 : text);
	if (text[2] && strcmp(command, cmd_snapshot.name) == 0)
		printf("%s\n", text + 3); /* the snapshot's name alone, for scripts */
	else if (text[2])
		printf("process %d: %s\n", pid, text + 3);
	return 0;
}

static const struct command *of_name(const char *name)
{
	if (strcmp(name, cmd_start.name) == 0)
		return &cmd_start;
	return strcmp(name, cmd_stop.name) == 0 ? &cmd_stop : &cmd_snapshot;
}

static int run(int argc, char **argv)
{
	int status;

	if (call_is_over(of_name(argv[0]), argc, argv, &status))
		return status;
	if (optind == argc)
		return cmd_usage(argv[0], "missing PID");
	for (int i = optind; i < argc; i++) {
		char *end;
		long pid = strtol(argv[i], &end, 10);

		if (*end || pid <= 0 || pid > INT_MAX)
			return cmd_usage(argv[0], "invalid PID `%s`", argv[i]);
	}
	for (int i = optind; i < argc; i++) {
		struct err err = { 0 };

		if (ask(argv[0], atoi(argv[i]), &err) < 0)
			status = cmd_fail(&err);
	}
	return cmd_finish(status);
}

const struct command cmd_start = {
	.name = "start",
	.run = run,
	.line = "start the recording of a process",
	.arguments = "PID...",
	.about =
		"Starts the recording of a traced process that was started with TPTRACE_START=off\n"
		"(`tptrace record --start=off`), or that was stopped.\n",
	.ranks = RANKS_EACH,
};

const struct command cmd_stop = {
	.name = "stop",
	.run = run,
	.line = "pause the recording of a process",
	.arguments = "PID...",
	.about = "Pauses the recording of a traced process until `tptrace start`. The time in\n"
		 "between is outside of all figures.\n",
	.ranks = RANKS_EACH,
};

const struct command cmd_snapshot = {
	.name = "snapshot",
	.run = run,
	.line = "write what was recorded of a process so far",
	.arguments = "PID...",
	.about = "Writes what was recorded of a traced process so far to a second file beside its "
		 "trace,\n"
		 "and prints its name. The process goes on. With TPTRACE_KEEP=last (`tptrace "
		 "record\n"
		 "--keep=last`) the snapshot is what the flight recorder holds.\n",
	.ranks = RANKS_EACH,
};

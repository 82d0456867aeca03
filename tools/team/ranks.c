/* SPDX-License-Identifier: MIT */
/* ranks.c - starts tptrace-mpi, and puts messages together from what it brings. */
#include "tools/team/ranks.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/trace/wire.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/team/installed.h"
#include "tools/mpi/frame.h"

#define RELAY "tptrace-mpi"
#define READ_BYTES (1u << 18) /* at once */

bool ranks_possible(void)
{
	char directory[PATH_MAX];

	return installed_directory(RELAY, directory, sizeof(directory));
}

/* ---- the relay ---- */

static _Noreturn void be_relay(const char *path, int socket)
{
	int loud = say_stderr();

	if (dup2(socket, STDIN_FILENO) >= 0 && dup2(loud, STDERR_FILENO) >= 0 &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execl(path, RELAY, (char *)NULL);
	dprintf(loud, "tptrace: %s: %s\n", path, strerror(errno));
	_exit(1);
}

int ranks_open(struct ranks *ranks, struct seat seat, char **argv, struct err *err)
{
	char directory[PATH_MAX], path[PATH_MAX + sizeof(RELAY) + 1];
	int pair[2];

	*ranks = (struct ranks){ .seat = seat, .argv = argv, .socket = -1 };
	ranks->in = xcalloc(seat.n, sizeof(*ranks->in));
	if (!installed_directory(RELAY, directory, sizeof(directory)))
		return err_set(err, ENOENT,
			       "%s not found, neither beside tptrace nor in ../lib/tptrace", RELAY);
	snprintf(path, sizeof(path), "%s/%s", directory, RELAY);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set(err, errno, "cannot make a socket: %s", strerror(errno));
	fflush(NULL);
	ranks->relay = fork();
	if (ranks->relay == 0)
		be_relay(path, pair[1]);
	close(pair[1]);
	ranks->socket = pair[0];
	return ranks->relay < 0 ? err_set(err, errno, "cannot start %s: %s", RELAY, strerror(errno))
				: 0;
}

static int write_whole(struct ranks *ranks, const void *bytes, size_t n)
{
	const char *from = bytes;

	while (n && !ranks->failed) {
		ssize_t put = send(ranks->socket, from, n, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			ranks->failed = true;
		else
			from += put, n -= (size_t)put;
	}
	return ranks->failed ? -EPIPE : 0;
}

static int write_frames(struct ranks *ranks, uint32_t to, const char *bytes, uint64_t n)
{
	int error = 0;

	for (uint32_t part; n && !error; n -= part, bytes += part) {
		part = n < FRAME_MOST_BYTES ? (uint32_t)n : FRAME_MOST_BYTES;
		error = write_whole(ranks, &(struct frame){ to, part }, sizeof(struct frame));
		if (!error)
			error = write_whole(ranks, bytes, part);
	}
	return error;
}

int ranks_send(struct ranks *ranks, uint32_t to, const struct message *message,
	       const void *const text[MESSAGE_TEXTS])
{
	int error = write_frames(ranks, to, (const char *)message, sizeof(*message));

	for (int i = 0; i < MESSAGE_TEXTS && !error; i++)
		error = write_frames(ranks, to, text[i], message->n_bytes[i]);
	return error;
}

/* ---- what comes ---- */

/* Room for n more. */
static char *room_for(struct arrived *arrived, uint64_t n)
{
	uint64_t left = arrived->n - arrived->from;

	if (arrived->from) {
		memmove(arrived->at, arrived->at + arrived->from, left);
		arrived->n = left;
		arrived->from = 0;
	}
	if (left + n > arrived->room) {
		arrived->at = xrealloc(arrived->at, (left + n) * 2);
		arrived->room = (left + n) * 2;
	}
	return arrived->at + left;
}

/* Whether that much is there; it is read then, unless `only_look`. */
static bool read_from(struct arrived *arrived, void *out, uint64_t n, bool only_look)
{
	if (arrived->n - arrived->from < n)
		return false;
	memcpy(out, arrived->at + arrived->from, n);
	arrived->from += only_look ? 0 : n;
	return true;
}

/* Sorts what came by process.  0, or -EPROTO if a frame is of none. */
static int sort_frames(struct ranks *ranks)
{
	struct arrived *frames = &ranks->frames;
	struct frame frame;

	while (read_from(frames, &frame, sizeof(frame), true) &&
	       frames->n - frames->from - sizeof(frame) >= frame.n_bytes) {
		char *to;

		if (frame.rank >= ranks->seat.n)
			return -EPROTO;
		to = room_for(&ranks->in[frame.rank], frame.n_bytes);
		frames->from += sizeof(frame);
		read_from(frames, to, frame.n_bytes, false);
		ranks->in[frame.rank].n += frame.n_bytes;
	}
	return 0;
}

int ranks_receive(struct ranks *ranks)
{
	char *to = room_for(&ranks->frames, READ_BYTES);
	ssize_t got;

	do
		got = recv(ranks->socket, to, READ_BYTES, 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		ranks->failed = true;
		return -EPIPE;
	}
	ranks->frames.n += (uint64_t)got;
	return sort_frames(ranks);
}

int ranks_next(struct ranks *ranks, uint32_t from, struct message *message,
	       struct spooled text[MESSAGE_TEXTS])
{
	struct arrived *in = &ranks->in[from];
	uint64_t n = sizeof(*message);

	if (!read_from(in, message, sizeof(*message), true))
		return 0;
	for (int i = 0; i < MESSAGE_TEXTS; i++)
		n += message->n_bytes[i];
	if (in->n - in->from < n)
		return 0;
	in->from += sizeof(*message);
	for (int i = 0; i < MESSAGE_TEXTS; i++) {
		text[i] = (struct spooled){ .at = xmalloc(message->n_bytes[i] + 1),
					    .n = message->n_bytes[i] };
		read_from(in, text[i].at, text[i].n, false);
		text[i].at[text[i].n] = 0;
	}
	return 1;
}

/* ---- whether they are alike ---- */

static int await_mpi(struct ranks *ranks, struct err *err)
{
	struct arrived *first = &ranks->in[ranks->seat.rank];
	uint32_t n = 0;

	while (first->n == 0)
		if (ranks_receive(ranks) < 0)
			return err_set(err, EPIPE, "%s does not connect the ranks", RELAY);
	if (!read_from(first, &n, sizeof(n), false) || n != ranks->seat.n)
		return err_set(
			err, EPROTO,
			"MPI connects %u of %u ranks; %s was built with another MPI than the "
			"launcher's",
			n, ranks->seat.n, RELAY);
	return 0;
}

/* The version and the arguments, a line each. */
static char *call_of(char **argv)
{
	size_t n = sizeof(TPTRACE_VERSION) + 1;
	char *text, *to;

	for (char **at = argv; *at; at++)
		n += strlen(*at) + 1;
	text = xmalloc(n);
	to = stpcpy(text, TPTRACE_VERSION);
	for (char **at = argv; *at; at++)
		to = stpcpy(stpcpy(to, "\n"), *at);
	return text;
}

/* What a rank says first is what it was called with. */
static int check_rank(struct ranks *ranks, uint32_t rank, const char *call, struct err *err)
{
	struct spooled text[MESSAGE_TEXTS];
	struct message message;
	bool alike = false;
	int next = 0;

	while (!next && (next = ranks_next(ranks, rank, &message, text)) == 0)
		if (ranks_receive(ranks) < 0)
			return err_set(err, EPIPE, "rank %u cannot be reached", rank);
	if (message.kind == MESSAGE_HELLO && text[0].at)
		alike = strcmp(text[0].at, call) == 0;
	for (int i = 0; i < MESSAGE_TEXTS; i++)
		free(text[i].at);
	if (!alike)
		return err_set(err, EINVAL,
			       "rank %u is of another version, or was called with other arguments",
			       rank);
	return 0;
}

int ranks_join(struct ranks *ranks, struct err *err)
{
	struct message hello = { .kind = MESSAGE_HELLO };
	FREED char *call = call_of(ranks->argv);
	int error = await_mpi(ranks, err);

	if (!error && ranks->seat.rank) {
		hello.n_bytes[0] = strlen(call);
		error = ranks_send(ranks, 0, &hello, (const void *[MESSAGE_TEXTS]){ call });
		if (error)
			err_set(err, -error, "rank 0 cannot be reached");
	}
	for (uint32_t r = 1; !ranks->seat.rank && r < ranks->seat.n && !error; r++)
		error = check_rank(ranks, r, call, err);
	return error;
}

/* ---- the end ---- */

int ranks_close(struct ranks *ranks, bool whole)
{
	int status = 0;

	if (whole && ranks->relay > 0)
		write_whole(ranks, &(struct frame){ .rank = FRAME_END }, sizeof(struct frame));
	else if (ranks->socket >= 0)
		shutdown(ranks->socket, SHUT_RDWR);
	if (ranks->relay > 0)
		while (waitpid(ranks->relay, &status, 0) < 0 && errno == EINTR)
			;
	if (ranks->socket >= 0)
		close(ranks->socket);
	for (uint32_t r = 0; ranks->in && r < ranks->seat.n; r++)
		free(ranks->in[r].at);
	free(ranks->in);
	free(ranks->frames.at);
	ranks->in = NULL;
	return status || ranks->failed ? -EPIPE : 0;
}

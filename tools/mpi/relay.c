/* SPDX-License-Identifier: MIT */
/*
 * relay.c - tptrace-mpi: carries bytes between the tptrace of this rank and those of others.
 *
 * tptrace starts it with a socket as standard input (frame.h).  It is all of tptrace that is linked
 * with MPI, and it knows nothing of what it carries.  It never blocks on one side while the other
 * one has something, and sleeps while neither has: MPI's own waiting would take the core that the
 * analysis needs.  If its tptrace ends too early, it ends the job.
 */
#include "tools/mpi/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TAG 1
#define SHORTEST_NS 20000     /* that it sleeps, .. */
#define LONGEST_NS 4000000    /* .. after a while without anything .. */
#define SENDING_NS 100000     /* .. and while a rank has to answer before bytes go to it */
#define READ_BYTES (1u << 20) /* at once */

struct bytes {
	char *at;
	size_t from, n, room; /* from..n are there */
};

struct sending {
	struct sending *next;
	MPI_Request request;
	char bytes[];
};

struct relay {
	struct bytes in, out; /* from tptrace, and to it */
	struct sending *sending;
	bool ended; /* tptrace said so */
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "tptrace-mpi: %s: %s\n", what, strerror(errno));
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

/* Room for so many more. */
static char *bytes_room(struct bytes *bytes, size_t n)
{
	if (bytes->from == bytes->n)
		bytes->from = bytes->n = 0;
	if (bytes->n + n > bytes->room && bytes->from) {
		memmove(bytes->at, bytes->at + bytes->from, bytes->n - bytes->from);
		bytes->n -= bytes->from;
		bytes->from = 0;
	}
	if (bytes->n + n > bytes->room) {
		bytes->room = (bytes->n + n) * 2;
		bytes->at = realloc(bytes->at, bytes->room);
		if (!bytes->at)
			fail("memory");
	}
	return bytes->at + bytes->n;
}

/* A frame for tptrace; the place of its bytes, to be filled at once. */
static char *frame_begin(struct relay *relay, int rank, int n_bytes)
{
	struct frame frame = { .rank = (uint32_t)rank, .n_bytes = (uint32_t)n_bytes };
	char *to = bytes_room(&relay->out, sizeof(frame) + frame.n_bytes);

	memcpy(to, &frame, sizeof(frame));
	relay->out.n += sizeof(frame) + frame.n_bytes;
	return to + sizeof(frame);
}

static void send_on(struct relay *relay, uint32_t rank, const char *bytes, uint32_t n)
{
	struct sending *sending = malloc(sizeof(*sending) + n);

	if (!sending)
		fail("memory");
	memcpy(sending->bytes, bytes, n);
	MPI_Isend(sending->bytes, (int)n, MPI_BYTE, (int)rank, TAG, MPI_COMM_WORLD,
		  &sending->request);
	sending->next = relay->sending;
	relay->sending = sending;
}

/* What tptrace said, as far as it is whole. */
static void take_frames(struct relay *relay)
{
	struct bytes *in = &relay->in;
	struct frame frame;

	while (in->n - in->from >= sizeof(frame)) {
		memcpy(&frame, in->at + in->from, sizeof(frame));
		if (in->n - in->from - sizeof(frame) < frame.n_bytes)
			return;
		if (frame.rank == FRAME_END)
			relay->ended = true;
		else
			send_on(relay, frame.rank, in->at + in->from + sizeof(frame),
				frame.n_bytes);
		in->from += sizeof(frame) + frame.n_bytes;
	}
}

/* Whether there was anything. */
static bool hear_tptrace(struct relay *relay)
{
	char *to = bytes_room(&relay->in, READ_BYTES);
	ssize_t got = read(STDIN_FILENO, to, READ_BYTES);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) { /* tptrace has died: it says why, or the kernel does */
		MPI_Abort(MPI_COMM_WORLD, 1);
		abort();
	}
	relay->in.n += (size_t)got;
	take_frames(relay);
	return true;
}

static bool tell_tptrace(struct relay *relay)
{
	struct bytes *out = &relay->out;
	ssize_t put = 0;

	if (out->n > out->from)
		put = send(STDIN_FILENO, out->at + out->from, out->n - out->from, MSG_NOSIGNAL);
	if (put < 0 && errno != EAGAIN && errno != EINTR)
		fail("tptrace is gone");
	out->from += put > 0 ? (size_t)put : 0;
	return put > 0;
}

static bool hear_ranks(struct relay *relay)
{
	MPI_Status status;
	int there, n;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
	if (!there)
		return false;
	MPI_Get_count(&status, MPI_BYTE, &n);
	MPI_Recv(frame_begin(relay, status.MPI_SOURCE, n), n, MPI_BYTE, status.MPI_SOURCE, TAG,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return true;
}

static void free_sent(struct relay *relay)
{
	for (struct sending **at = &relay->sending; *at;) {
		struct sending *sending = *at;
		int sent;

		MPI_Test(&sending->request, &sent, MPI_STATUS_IGNORE);
		if (sent) {
			*at = sending->next;
			free(sending);
		} else {
			at = &sending->next;
		}
	}
}

/* Until tptrace has ended it, and all is with whom it is for. */
static void carry(struct relay *relay)
{
	long sleep_ns = SHORTEST_NS, longest_ns;

	while (!relay->ended || relay->sending || relay->out.from < relay->out.n) {
		bool tells = relay->out.from < relay->out.n, any = false;
		struct pollfd fd = { .fd = relay->ended && !tells ? -1 : STDIN_FILENO,
				     .events = (short)((relay->ended ? 0 : POLLIN) |
						       (tells ? POLLOUT : 0)) };

		if (ppoll(&fd, 1, &(struct timespec){ 0, sleep_ns }, NULL) > 0 && !relay->ended)
			any |= hear_tptrace(relay);
		while (hear_ranks(relay))
			any = true;
		any |= tell_tptrace(relay);
		free_sent(relay);
		longest_ns = relay->sending ? SENDING_NS : LONGEST_NS;
		sleep_ns = any ? SHORTEST_NS : sleep_ns * 2;
		sleep_ns = sleep_ns < longest_ns ? sleep_ns : longest_ns;
	}
}

int main(int argc, char **argv)
{
	struct relay relay = { 0 };
	uint32_t n_ranks;
	int rank, n;

	if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) < 0 ||
	    send(STDIN_FILENO, "", 0, MSG_NOSIGNAL) < 0) {
		fprintf(stderr, "tptrace-mpi: `mpirun tptrace report` starts it\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	n_ranks = (uint32_t)n;
	memcpy(frame_begin(&relay, rank, sizeof(n_ranks)), &n_ranks, sizeof(n_ranks));
	carry(&relay);
	MPI_Finalize();
	free(relay.in.at);
	free(relay.out.at);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * ranks.h - messages between the tptrace of one rank and those of others.
 *
 * tptrace itself is not linked with MPI: a program beside it, tptrace-mpi, carries the bytes
 * (tools/mpi).  So it may fork, and no process that analyses has MPI's threads and memory.  All
 * ranks open, and all end; if one dies, MPI ends the others.  Messages of one rank come in order.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "collector/trace/err.h"
#include "tools/team/children.h"
#include "tools/team/seat.h"

enum message_kind {
	MESSAGE_HELLO,	/* to rank 0: what it was called with */
	MESSAGE_BATCH,	/* from rank 0: pieces to be done */
	MESSAGE_RESULT, /* to rank 0: what came of a piece */
	MESSAGE_BYE	/* from rank 0: that is all */
};

#define MESSAGE_TEXTS 3

struct message {
	uint32_t kind, number;
	int32_t status, error;
	uint64_t n_bytes[MESSAGE_TEXTS]; /* that follow */
};

struct arrived {
	char *at;
	uint64_t from, n, room; /* from..n is not read yet */
};

struct ranks {
	struct seat seat;
	char **argv;
	pid_t relay;
	int socket;
	struct arrived *in;    /* [seat.n] of each rank */
	struct arrived frames; /* of all, as they came */
	bool failed;
};

/* Whether tptrace-mpi is installed. */
bool ranks_possible(void);

/*
 * Begins to connect the ranks, of which all were called with these arguments (up to NULL; borrowed
 * until they join).  0, or -errno and *err.  *ranks is yours to ranks_close().
 */
int ranks_open(struct ranks *ranks, struct seat seat, char **argv, struct err *err);
/* Waits until MPI has connected all, and checks that they are as many as the seat says, of one
 * version, and called alike. */
int ranks_join(struct ranks *ranks, struct err *err);

int ranks_send(struct ranks *ranks, uint32_t to, const struct message *message,
	       const void *const text[MESSAGE_TEXTS]); /* 0 or -errno */
/* Takes in what has arrived at ->socket; waits if nothing has.  0 or -errno. */
int ranks_receive(struct ranks *ranks);
/* The next whole message of that rank; its texts are ours to free().  0: none; or 1. */
int ranks_next(struct ranks *ranks, uint32_t from, struct message *message,
	       struct spooled text[MESSAGE_TEXTS]);

/* Ends the connection, when all ranks do; or, if `whole` is false, ends all ranks.  0 or -errno. */
int ranks_close(struct ranks *ranks, bool whole);

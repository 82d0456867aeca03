/* SPDX-License-Identifier: MIT */
/*
 * team.h - who reads the traces of a command that takes many: children on this machine, or those
 * of all ranks of an mpirun.
 *
 * Rank 0, or the process that is by itself, leads: it knows the pieces, has them done and prints.
 * The other ranks help it until it ends, and print nothing.  All were called alike.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/team/crew.h"

/* What any of them does on a piece, in a child: crew.h. */
struct team_work {
	int (*work)(void *context, const char *name, FILE *result);
	void *context;
};

struct team {
	struct team_work work;
	struct ranks ranks;
	uint32_t width;	    /* children at once, of each rank */
	uint32_t n_threads; /* that one trace is read on; 0: the usual number */
	bool on_ranks, joined;
	bool lost; /* a rank: all of them end at once */
};

/*
 * argv is the whole call, up to NULL; `any`: traces are named in it; `width` 0: as many children
 * as is usual.  One trace is read on so many threads (threads.h), and children share them.  True if
 * this process leads: *team is its to team_close().  Else it has helped, and *status is its exit
 * status.
 */
bool team_open(struct team *team, char **argv, bool any, uint32_t width, struct team_work work,
	       int *status);

/* What the leader does with pieces; crew.h. */
struct team_pieces {
	const char *(*name)(void *context, uint32_t piece);
	void (*take)(void *context, uint32_t piece, struct crew_done *done);
	void *context;
	const uint32_t *order; /* in which they are begun: a permutation */
	uint32_t n;
};

/* Waits for the other ranks, by the leader; team_run() does, too.  0, or -errno and *err. */
int team_join(struct team *team, struct err *err);
/* Once or several times, by the leader.  0, or -errno and *err. */
int team_run(struct team *team, const struct team_pieces *pieces, struct err *err);
/* What came of a piece: what it said goes to stderr, named by its rank if its child crashed.  The
 * exit status of its work, 1 if it crashed. */
int team_tell(const struct team *team, const char *path, const struct crew_done *done);
/* The other ranks end, too.  0, or -errno and *err. */
int team_close(struct team *team, struct err *err);
/* The same behind what ended with that: the error of the first of both that has one. */
int team_end(struct team *team, int error, struct err *err);

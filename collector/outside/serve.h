/* SPDX-License-Identifier: MIT */
/*
 * serve.h - the collector as a process of its own: drains any number of sessions.
 *
 * `tptrace record` starts it before the program.  It has a thread a session, which takes the rings
 * to the session's own trace until the session or its process has ended, and then writes how that
 * was.  A session is over when it says so or when its process is dead, however many descriptors
 * that closed.  The collector goes on as long as there is a session, also after its parent.
 *
 * By the control socket (SOCK_SEQPACKET) the parent says how its children ended, those included
 * that it adopted, and asks for the end.  The collector sends lines for the user, and that all is
 * written.
 *
 * The parent outlives it: before the collector accepts a process, the parent has its memory (KEEP).
 * If the collector dies, the next one gets that memory from the parent, and ends the traces of the
 * processes that ended without.
 *
 * Its own TPTRACE_OUTPUT and folder decide where traces go: what sessions say is not trusted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "collector/outside/client.h"

#define SERVE_TEXT_MAX 600

/* One message; `text` is sent as far as it goes. */
struct serve_message {
	enum {
		SERVE_SAY = 1,
		SERVE_ENDED, /* a process of `pid` ended with `status`, and is about to be reaped */
		SERVE_ASK, /* answer DONE once no process is collected, and all traces are whole */
		SERVE_LEAVE, /* .. or once those are of processes that have ended */
		SERVE_DONE,
		SERVE_KEEP,
		SERVE_LET_GO,
	} kind;
	int pid;		   /* ENDED; KEEP, which has the descriptors of a session, too */
	int status;		   /* ENDED: as wait() has it */
	uint64_t inode;		   /* KEEP, LET_GO: of its memory */
	uint32_t n_left;	   /* DONE: processes that live on, and are collected */
	uint32_t n_seen;	   /* DONE: processes that have a trace, or a line says why not */
	char text[SERVE_TEXT_MAX]; /* SAY: a line without its newline */
};

/* A session that a collector has or had. */
struct serve_kept {
	int pid, pidfd; /* -1: the kernel has none, or there was no room for it */
	int memory;
	int status; /* as wait() has it; -1: it was not reaped */
	uint64_t inode;
};

/* Sessions that dead collectors left behind. */
struct serve_left {
	struct serve_kept *kept;
	uint32_t n;
	uint64_t died_ns; /* when the last one did, by CLOCK_MONOTONIC; 0: none has .. */
	uint32_t died_of; /* .. and how: the session's */
};

/*
 * Receives a message without waiting, in the parent: what recv(2) says.  That of KEEP comes with
 * *kept, whose descriptors are the caller's.
 */
ssize_t serve_receive(int control, struct serve_message *message, struct serve_kept *kept);

/* Makes the socket that processes connect to; its name goes to `name`.  The descriptor or -errno.
 */
int serve_listen(char *name, size_t room);

/*
 * Collects until nobody is left to collect and the parent is gone or has its answer.  In a process
 * of its own, which has the descriptors of `left`.  0 or -errno.
 */
int serve_run(int listener, int control, const struct serve_left *left,
	      const struct client_helpers *helpers);

/* SPDX-License-Identifier: MIT */
/*
 * ask.h - what `tptrace start|stop|snapshot PID` talk to: a socket of the process's collector.
 *
 * Its name (collector/session/address.h) is in the abstract namespace: nothing is left behind.
 * Only the process's own user and root may connect; the kernel says who does.  A request is a line,
 * `start`, `stop`, `snapshot` or `trace`; so is the answer, `ok ..` or `error ..`.
 *
 * Used by the collector's thread.
 */
#pragma once

#include <stdint.h>
#include "collector/drain/drain.h"

struct ask {
	int fd; /* -1 if there is none */
	uint64_t device, inode;
	uint64_t tried_ns; /* when it last tried to accept a connection */
};

/* Opens the socket; without one, nobody can be served, and that is all. */
void ask_open(struct ask *ask, const struct session *session, int pid);
void ask_close(struct ask *ask);

/* Does what was asked for by signals and by who has connected, if it is time to accept. */
void ask_round(struct ask *ask, struct drain *drain);

/* SPDX-License-Identifier: MIT */
/*
 * gate.h - whether events are stored, and marks in time: phases and regions.
 *
 * Stopped means that events are dropped and ids go on (worker.h).  Marks lie in a ring of the
 * session's that the collector empties; if it is full, one is lost and counted.
 *
 * All of it is in the session, and called by threads of the program and by its collector, wherever
 * that is; never by a signal handler.
 */
#pragma once

#include <stdbool.h>
#include "preload/session.h"

/* Worker i, below n_workers, or NULL. */
typedef struct worker *gate_worker(void *arg, uint32_t index);

/* Whether it was the other way before. */
bool gate_start(struct session *session);
bool gate_stop(struct session *session, gate_worker *worker_at, void *arg);

/* No event is stored from here on, for that reason; gate_start() cannot help but where stopped. */
void gate_shut(struct session *session, enum wire_loss why, gate_worker *worker_at, void *arg);

/* A phase begins, or a region does or ends, at that time. */
void gate_mark(struct session *session, uint64_t ticks, enum session_mark_what what,
	       const char *name);

/* The collector: what was asked for by signals and calls since: SESSION_ASK_.. */
uint32_t gate_asked(struct session *session);

/* The collector: the next mark, copied; false if there is none.  Trusts nothing in the session. */
bool gate_next_mark(struct session *session, struct session_mark *mark);

/* SPDX-License-Identifier: MIT */
/*
 * control.h - starting and stopping the recording, and marks in time: phases and regions.
 *
 * Stopped means that events are dropped and ids go on (worker.h).  Marks lie in a ring of the
 * session's that the collector empties; if it is full, one is lost and counted.
 */
#pragma once

#include <stdbool.h>
#include "preload/export.h"
#include "preload/session.h"

/* When the session starts: what its options ask for.  Its lock is not held. */
void control_open(struct session *session);

/* Any thread, but no signal handler.  Whether it was the other way before. */
bool control_start(struct session *session);
bool control_stop(struct session *session);

/* The collector: no event is stored from here on, for that reason; control_start() can't help. */
void control_shut(struct session *session, enum wire_loss why);

/* The collector: what was asked for by signals and calls since: SESSION_ASK_.. */
uint32_t control_asked(struct session *session);

/* The collector: the next mark, copied; false if there is none. */
bool control_next_mark(struct session *session, struct session_mark *mark);

/* tptrace.h: what the program itself says; `what` is enum tptrace_what. */
void control_call(int what, const char *name) EXPORT_AS(control);

/* SPDX-License-Identifier: MIT */
/*
 * probes.h - the probes of this process (probe.h), as the recorder calls them: off the hot path.
 */
#pragma once

#include "preload/probe.h"

/* While the session begins, on its thread: loads those that the environment asks for, and opens
 * all. */
void probes_open(struct session *session);

/* The thread that got this worker is watched from now on; it is about to leave it. */
void probes_come(struct worker *worker);
void probes_leave(struct worker *worker);

/*
 * The steps of worker_make_room() for a worker that is watched: before there is room; whether
 * nothing but the probes is to be looked at; what making room for the event and PROBE_NOTES more
 * came to, which is returned; and, if there is room, before the event is stored.
 */
void probes_before(struct worker *worker, enum wire_kind kind, uint64_t b);
bool probes_have_room(const struct worker *worker);
bool probes_made_room(struct worker *worker, bool room);
void probes_after(struct worker *worker, enum wire_kind kind, const void *frame);

/* SPDX-License-Identifier: MIT */
/*
 * held_sessions.h - the sessions whose memory `record` holds, so that it outlives their collector.
 *
 * The collector says which (collector/outside/serve.h); the next one gets them.
 */
#pragma once

#include "collector/outside/serve.h"

struct held {
	struct serve_left left;
};

/* Heeds HOLD and LET_GO; *session is as serve_receive() had it, and its descriptors are ours. */
void held_heed(struct held *held, const struct serve_message *message,
	       const struct serve_kept *session);

/* A process is about to be reaped; `status` is as wait() has it. */
void held_note_end(struct held *held, int pid, int status);

/* The collector has died, with that status of wait(). */
void held_note_death(struct held *held, int status);

/* In the next collector: closes all descriptors from 3 on but these two and those that are held. */
void held_close_others(const struct held *held, int a, int b);

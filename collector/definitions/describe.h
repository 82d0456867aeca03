/* SPDX-License-Identifier: MIT */
/*
 * describe.h - what a session knows of its program, as lines of definitions (defs.h).
 *
 * Called by the collector alone, while others add to the session's tables.  No number in the
 * session is trusted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/defs.h"
#include "collector/trace/lines.h"
#include "collector/session/layout.h"

/* How much has been described already. */
struct describe {
	bool begun;
	uint32_t n_sites, n_modules, n_runtimes, n_paths, n_bypassing;
	uint32_t event_ps, strand_ps;
	uint32_t runtime_workers[SESSION_RUNTIMES], runtime_calls[SESSION_RUNTIMES];
	uint32_t runtime_tokens[SESSION_RUNTIMES];
	session_text runtime_note[SESSION_RUNTIMES], runtime_unlinked[SESSION_RUNTIMES];
};

/* Writes the lines that are new since the last call. */
void describe_new(struct describe *done, struct session *session, uint32_t shift,
		  struct lines *out);

/* Writes the watermark, up to which the file has all events, and this instant on both clocks. */
void describe_watermark(struct clock_pair instant, uint64_t units, uint32_t shift,
			struct lines *out);

/* Writes a phase, or a start or stop of the recording. */
void describe_mark(const struct session_mark *mark, uint32_t shift, struct lines *out);

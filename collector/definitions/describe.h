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

/* What a runtime's line says besides its name. */
struct described_runtime {
	uint32_t n_workers, calls_ps, tokens;
	session_text note, unlinked;
};

/* How much has been described already. */
struct describe {
	bool begun;
	uint32_t n_sites, n_modules, n_runtimes, n_paths, n_bypassing;
	uint32_t event_ps, strand_ps;
	struct described_runtime runtime[SESSION_RUNTIMES];
};

/* Writes the lines that are new since the last call. */
void describe_new(struct describe *done, struct session *session, uint32_t shift,
		  struct lines *out);

/* Writes the watermark, up to which the file has all events, and this instant on both clocks. */
void describe_watermark(struct clock_pair instant, uint64_t units, uint32_t shift,
			struct lines *out);

/* Writes a phase, or a start or stop of the recording. */
void describe_mark(const struct session_mark *mark, uint32_t shift, struct lines *out);

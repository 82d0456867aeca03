/* SPDX-License-Identifier: MIT */
/*
 * definitions.h - what a trace says besides its events: all of it, in order, and how much was said.
 *
 * Definitions are written whenever there is something new, so that a file without an end says all
 * that was known of its events.  What is counted over all workers comes from whoever drains
 * (collector/drain/figures.h).  For the thread that drains.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/definitions/clock_samples.h"
#include "collector/definitions/cputimes.h"
#include "collector/definitions/marks.h"
#include "collector/trace/defs.h"

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

/* A collector that died, whose place this one took. */
struct predecessor {
	bool was_there, is_written;
	char *trace;	  /* its trace, if this is another one */
	uint64_t n_died;  /* events that were lost with it */
};

/* Who takes samples of stacks, and writes them (tools/sample/sampler.h). */
struct definitions_stacks {
	bool (*take)(void *arg, bool last); /* whether there are any to be written; NULL: nobody */
	void (*put)(void *arg, uint32_t shift, bool all, struct lines *out);
	const char *(*close)(void *arg); /* what the user shall hear of it; NULL: nothing */
	void *arg;
	bool pending; /* what take() said last */
};

struct definitions {
	struct session *session;
	uint32_t shift;
	struct describe described;
	struct marks marks; /* those that are not in the file */
	struct clock_samples clock_samples;
	struct cputimes cputimes;
	struct definitions_stacks stacks;
	struct predecessor predecessor;
	uint64_t memory_bytes; /* as last written */
};

/* What is counted over all workers, now. */
struct figures {
	uint32_t n_workers;
	uint64_t memory_bytes;	    /* of chunks, and of what a flight recorder keeps */
	uint64_t lost;		    /* events that are not in the trace, and were to be */
	uint64_t cpu_ns, waited_ns; /* of the collector; of workers, for a free chunk */
	uint64_t last_units;	    /* of the last event in the file */
};

/* What a file has: all events before `ticks`, and `now`, at which that is said. */
struct watermark {
	struct clock_pair now;
	uint64_t ticks; /* not after `now` */
};

/* Counts that are known once a trace ends. */
struct definitions_end {
	struct clock_pair at;
	const char *how;       /* the program ended */
	const char *unwritten; /* why the file could not grow; NULL: it could */
	uint32_t n_unread;     /* workers whose ring could not be read (recover.c) */
	uint64_t made_events, made_tasks, untaken_events;
	uint64_t late_tasks; /* made or begun after the end; and when that was, and until when */
	uint64_t closed_units, late_units;
};

/* Takes the marks that are new from the session.  They are kept or, if `out` is not NULL, written
 * behind those that were kept; `last`: gate_next_mark(). */
void definitions_take_marks(struct definitions *defs, bool last, struct lines *out);

/* Writes what is new, or `all` that is known, for a file that has nothing yet: what the flight
 * recorder leaves; and, unless NULL, the watermark.  `last` as above. */
void definitions_put(struct definitions *defs, const struct figures *figures,
		     const struct watermark *watermark, bool last, bool all, struct lines *out);

/* Writes the watermark, behind all events of before it: a file may end anywhere. */
void definitions_put_watermark(const struct definitions *defs, const struct figures *figures,
			       const struct watermark *watermark, struct lines *out);

/* Writes the last lines: what is missing in all, and how the program ended. */
void definitions_put_end(const struct definitions *defs, const struct figures *figures,
			 const struct definitions_end *end, struct lines *out);

/* Writes that this is a file of the recording's n-th snapshot, and, unless NULL, its
 * watermark. */
void definitions_put_snapshot(const struct definitions *defs, const struct figures *figures,
			      const struct watermark *watermark, uint32_t n, struct lines *out);

void definitions_free(struct definitions *defs); /* a zeroed one is fine */

/* ---- what a session knows of its program: describe.c ---- */

/* Called by the collector alone, while others add to the session's tables.  No number in there is
 * trusted. */

/* Writes the lines that are new since the last call. */
void describe_new(struct describe *done, struct session *session, uint32_t shift,
		  struct lines *out);

/* Writes the watermark, up to which the file has all events, and this instant on both clocks. */
void describe_watermark(struct clock_pair instant, uint64_t units, uint32_t shift,
			struct lines *out);

/* Writes a phase, or a start or stop of the recording. */
void describe_mark(const struct session_mark *mark, uint32_t shift, struct lines *out);

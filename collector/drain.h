/* SPDX-License-Identifier: MIT */
/*
 * drain.h - takes one session's rings to one trace file.
 *
 * It has no thread and no state besides struct drain, so that one thread may do it for the
 * process that it is in, and one for several others.  All calls for one drain come from one
 * thread at a time.  Units are those of the file: ticks >> shift.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/describe.h"
#include "collector/encode.h"
#include "collector/file.h"
#include "collector/hold.h"
#include "preload/session.h"

#define DRAIN_FLUSH_NS 200000000u /* nothing stays in a ring for longer than this */

/* What goes on from one block of a worker to the next. */
struct drain_stream {
	struct hold hold; /* taken from the ring, and not yet in the file */
	uint64_t last_units, n_ids;
	uint32_t seqno;
};

struct drain {
	struct session *session;
	struct encoder *encoder;
	struct collapse *collapse; /* NULL: events go from the ring to the file as they are */
	struct trace_file file;	   /* made when there is something to write; fd is -1 until then */
	struct describe described;
	uint32_t shift;
	uint64_t begin_units;
	uint64_t n_tasks;
	struct collapse_limits limits;
	uint64_t flushed_ns, flushed_blocks; /* when all rings were taken last */
	struct drain_stream *stream;	     /* by worker */
	uint32_t n_streams;
	bool told; /* that the file failed */
};

/* Gets ready to drain the session; 0 or -ENOMEM.  What it allocates is freed by drain_close(). */
int drain_open(struct drain *drain, struct session *session);

/*
 * Takes what is in the rings that are a quarter full, or, from time to time or if `all`, in all.
 * True if it took anything: then there may be more at once.  After an error of the file rings are
 * emptied into nothing, so that nobody waits.
 */
bool drain_round(struct drain *drain, bool all);

/*
 * Writes the end of the trace: that all before `end` is there, the last definitions, `how` (an
 * `ended` line's words), index and footer.  Nothing if there is no file.
 */
void drain_end(struct drain *drain, struct clock_pair end, const char *how);

/* Tasks that were recorded, hidden ones as well. */
uint64_t drain_tasks(const struct drain *drain);

/* True once, when the writing has failed: then drain->file.err.text says why. */
bool drain_failed(struct drain *drain);

/* Closes the file as it is and frees all.  A zeroed drain with file.fd -1 is fine. */
void drain_close(struct drain *drain);

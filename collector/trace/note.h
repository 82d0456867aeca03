/* SPDX-License-Identifier: MIT */
/*
 * note.h - blocks that the collector adds to a worker's stream itself, to say what is missing.
 *
 * Times are in units of the file.  Each call writes one block, of that seqno; an error
 * is the file's.
 */
#pragma once

#include <stdint.h>
#include "collector/trace/encode.h"
#include "collector/trace/file.h"

struct note_gap {
	uint64_t n; /* events; 0: there is no such gap */
	uint64_t since, until;
	enum wire_loss why;
};

struct note_place {
	uint32_t worker, seqno;
	uint64_t units;	  /* of the worker's last event before */
	uint64_t n_ids;	  /* ids that it had given out */
	uint64_t running; /* the task whose strand runs when the gap is over; 0: none */
};

/* Slots of a ring that the worker has filled and nobody took. */
struct note_slots {
	const struct wire_event *slot;
	uint64_t n;
	uint32_t shift; /* from ticks to units */
};

/*
 * Gaps that end with the slots' first events, which the file will not have: gap[why] becomes the
 * one of that kind, up to its `until`.  Between its drain and its end a snapshot may miss these
 * notes.
 */
void note_untaken(const struct note_slots *slots, struct note_gap *gap);

void note_put(struct trace_file *file, struct encoder *encoder, const struct note_place *place,
	      const struct note_gap *gap, uint32_t n_gaps);

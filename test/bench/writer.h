/* SPDX-License-Identifier: MIT */
/*
 * writer.h - writes the events of a few workers as a trace file, as they come.
 *
 * An error prints a line on stderr and ends the program.
 */
#pragma once

#include "collector/trace/encode.h"
#include "collector/trace/file.h"

#define WRITER_BLOCK_EVENTS 8192u

struct writer_lane { /* a worker */
	struct wire_event event[WRITER_BLOCK_EVENTS];
	struct encode_source source;
	uint32_t seqno;
};

struct writer {
	struct trace_file file;
	struct encoder *encoder;
	struct writer_lane *lane;
	uint32_t n_lanes;
};

/* Makes the file, in the place of any that is there. */
void writer_open(struct writer *writer, const char *path, uint32_t n_lanes);
/* Writes the lines of definitions and ends the file; its facts stay in writer->file. */
void writer_close(struct writer *writer, const char *defs);
void writer_flush(struct writer *writer, uint32_t worker);

static inline void writer_put(struct writer *writer, uint32_t worker, uint64_t ns,
			      enum wire_kind kind, uint64_t b)
{
	struct writer_lane *lane = &writer->lane[worker];

	lane->event[lane->source.n++] = (struct wire_event){ ns << 8 | kind, b };
	if (lane->source.n == WRITER_BLOCK_EVENTS)
		writer_flush(writer, worker);
}

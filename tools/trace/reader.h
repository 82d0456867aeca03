/* SPDX-License-Identifier: MIT */
/*
 * reader.h - a trace file as definitions and one stream of events a worker.
 *
 * Nothing in the file is trusted.  A file without its end (killed process, a copy that was cut) is
 * read up to its last whole block; `missing` then says what is not there.  A reader may be used by
 * several threads, each with its own cursors.  Times are ns since the session began.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/trace/defs_read.h"
#include "tools/trace/decode.h"
#include "collector/trace/err.h"
#include "tools/trace/timeline.h"

struct reader;

struct reader_facts {
	const char *path;
	uint64_t file_bytes;
	uint64_t n_events, n_blocks;
	uint32_t n_workers; /* 1 + the largest worker number */
	bool ended;	    /* index and footer are there */
	bool torn;	    /* bytes after the last whole block, that are none; .. */
	bool cut;	    /* .. as the file ends in the midst of one */
	bool live;	    /* the collector still writes it */
	char missing[320];  /* one sentence, or empty */
	uint64_t sure_ns;   /* all events before this are there, the trace says */
	/*
	 * What is later counts not.  Behind sure_ns, all workers that the file had until some place
	 * in it had all their events of before whole_ns there: other events may be missing.
	 */
	uint64_t whole_ns;
	uint64_t first_ns, last_ns; /* of the events */
};

/* Opens a trace.  0, or -errno and *err, and then nothing is left open. */
int reader_open(struct reader **out, const char *path, struct err *err);
/* Likewise of a file that is open, and is the reader's from then on, also on errors; it was made of
 * so many bytes at `path`, if it is no longer as it was there. */
int reader_open_fd(struct reader **out, int fd, const char *path, uint64_t source_bytes,
		   struct err *err);
void reader_close(struct reader *reader); /* NULL is fine */

const struct defs *reader_defs(const struct reader *reader);
const struct reader_facts *reader_facts(const struct reader *reader);
/* The time that a unit is, and the one that so many units take wherever they are. */
uint64_t reader_ns(const struct reader *reader, uint64_t units);
uint64_t reader_duration_ns(const struct reader *reader, uint64_t units);
/* By how much that may be off, for the clock's rate changes. */
uint64_t reader_off_ns(const struct reader *reader, uint64_t ns);
const struct timeline *reader_timeline(const struct reader *reader);

/* A worker's blocks of events, in order: how many, and one of them. */
uint32_t reader_blocks(const struct reader *reader, uint32_t worker);
const struct wire_block *reader_block(const struct reader *reader, uint32_t worker, uint32_t i);
/*
 * Unpacks a block into out[], which has room for its n_events.  How many there are, perhaps none;
 * -errno and *err.  One decoder a thread.  The block's own pages need no memory from then on.
 */
int reader_unpack(const struct reader *reader, const struct wire_block *block,
		  struct decoder *decoder, struct event *out, struct err *err);

/* A worker's events, in order. */
struct cursor {
	const struct reader *reader;
	const struct timeline *timeline; /* the reader's */
	uint32_t worker;
	uint32_t next_block; /* among the worker's blocks */
	uint32_t at, n;	     /* in event[] */
	/* the piece of the timeline where cursor_ns() was last: since these units, so many */
	const struct timeline_piece *piece;
	uint64_t since, lasts;
	uint32_t room;	   /* of event[] */
	uint64_t position; /* events of the worker before event[at] */
	struct event *event;
	struct decoder *decoder;
	bool borrows; /* the decoder is somebody else's */
};

void cursor_open(struct cursor *cursor, const struct reader *reader, uint32_t worker);
void cursor_close(struct cursor *cursor);

/*
 * Before the first event: the cursor is to use this decoder, which is the caller's to free after
 * cursor_close().  One decoder will do for all cursors of a thread, and is large.
 */
void cursor_borrow(struct cursor *cursor, struct decoder *decoder);

void cursor_find_piece(struct cursor *cursor, uint64_t units);

/* As reader_ns(), and fast for events of this cursor. */
static inline uint64_t cursor_ns(struct cursor *cursor, uint64_t units)
{
	if (units - cursor->since >= cursor->lasts)
		cursor_find_piece(cursor, units);
	return timeline_ns(cursor->piece, units);
}

/* event[0..n-1] is the next block from now on, whoever unpacked it. */
void cursor_take(struct cursor *cursor, uint32_t n);

/*
 * Unpacks the next block into event[0..n-1].  1, or 0 at the end, or -errno and *err.  One whose
 * events are all of unknown kinds has n = 0; cursor_fill() goes on to the next then.
 */
int cursor_fill_block(struct cursor *cursor, struct err *err);
int cursor_fill(struct cursor *cursor, struct err *err);

/* The next event: 1 and *event (good until the next call), 0 at the end, -errno and *err. */
static inline int cursor_next(struct cursor *cursor, const struct event **event, struct err *err)
{
	if (cursor->at == cursor->n) {
		int got = cursor_fill(cursor, err);

		if (got <= 0)
			return got;
	}
	*event = &cursor->event[cursor->at++];
	return 1;
}

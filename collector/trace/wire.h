/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the contract between the recorder, the collector and the tools: events and blocks.
 *
 * events.h has the kinds of events, operand.h and words.h what their operands hold, and this file
 * the blocks.  Little-endian, fixed widths; what is not used is zero.  FORMAT.md describes the same
 * bytes for people who have no C.
 *
 *	worker	a slot for one OS thread, 0..WIRE_WORKERS-1; used again when the thread is gone
 *	id	a task, or the group of tasks of a fork: worker << 48 | n, where n counts the ids
 *		that this worker has given out, from 1.  Who makes an id does not store it: its
 *		number follows from the event's place in the worker's stream
 *	name	a word by which the program or the runtime knows a task or a thing to wait for: a
 *		handle, the address of a task object, of a word that becomes full, of a counter.  It
 *		may be used again for another one later; what counts is the order of time
 *	site	a place in the program that calls the runtime, with the code that it hands over;
 *		defined by a line of text (collector/trace/defs.h)
 *	collapsed	tasks whose events were taken out (collapsed.h, tallied.h)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/collapsed.h"
#include "collector/trace/operand.h"
#include "collector/trace/tallied.h"

#define WIRE_VERSION 3u
#define TPTRACE_VERSION "0.3" /* of the program: a file names what wrote it */
#define WIRE_WORKERS 65536u

/* The ids that a worker has given out after an event of that kind, when it was n_ids before. */
static inline uint64_t ids_after(unsigned kind, uint64_t b, uint64_t n_ids)
{
	if (kind == WIRE_NEXT_ID)
		return b;
	if (kind == WIRE_COLLAPSED && collapsed_field(b) == WIRE_COLLAPSED_MADE)
		return n_ids + collapsed_value(b);
	return n_ids + kind_makes(kind);
}

/* How many events the worker made for one of its stream, collapsed ones included; and tasks. */
static inline uint64_t events_made(const struct wire_event *event)
{
	if (event_kind(event) != WIRE_TALLY)
		return 1;
	return tally_part(event->b) == WIRE_TALLY_EVENTS ? tally_value(event->b) : 0;
}
static inline uint64_t tasks_made(unsigned kind, uint64_t b)
{
	if (kind == WIRE_COLLAPSED && collapsed_field(b) == WIRE_COLLAPSED_TASKS)
		return collapsed_value(b);
	return kind_makes_task(kind);
}

/*
 * The file: one wire_header, then blocks.  A block is a wire_block and `body_bytes` of body, a
 * zstd frame with checksum.  WIRE_EVENTS holds events of one worker (collector/trace/encode.h),
 * WIRE_DEFS lines of text (collector/trace/defs.h), WIRE_INDEX one wire_block a block of the file,
 * without their bodies, in file order.  Last, at a clean end, one wire_footer.
 */
#define WIRE_MAGIC "tptrace\n"
#define WIRE_BLOCK_MAGIC 0x4b4c4254u /* "TBLK" */
#define WIRE_FOOTER_MAGIC "tptrend\n"
#define WIRE_BODY_MAX (64u << 20) /* no body is larger, packed or unpacked */

/* A thing that happened to all of the process at an instant: a `mark` line, in this order. */
enum wire_mark {
	WIRE_MARK_START, /* of the recording; it is on before the first, unless that is a START */
	WIRE_MARK_STOP,
	WIRE_MARK_PHASE, /* one begins, and lasts until the next */
	WIRE_MARK_BEGIN, /* a region does; others of that name may be open */
	WIRE_MARK_END,	 /* the last region that has not ended of that name */
	WIRE_MARKS
};

enum wire_block_type { WIRE_EVENTS = 1, WIRE_DEFS = 2, WIRE_INDEX = 3 };
#define WIRE_BLOCK_OPTIONAL 1u	/* flags: who does not know the type skips the block */
#define WIRE_BLOCK_RECOVERED 2u /* `tptrace recover` added it: one without an end is made anew */

struct wire_header {
	char magic[8];
	uint32_t version;
	uint32_t header_bytes; /* the first block is here */
	char writer[16];       /* what wrote it, TPTRACE_VERSION; padded with 0 */
};

struct wire_block {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t body_bytes;  /* as stored */
	uint32_t raw_bytes;   /* once unpacked */
	uint32_t worker;      /* WIRE_EVENTS; else 0 */
	uint32_t seqno;	      /* 0, 1, .. for one worker */
	uint64_t first_units; /* time of the first and of the last event */
	uint64_t last_units;
	uint64_t first_id; /* ids that the worker had given out before this block */
	uint64_t offset;   /* of this header in the file */
	uint32_t n_events;
	uint32_t check; /* FNV-1a, 32 bits, of the 60 bytes before */
};

struct wire_footer {
	uint64_t index_offset;
	char magic[8];
};

_Static_assert(sizeof(struct wire_event) == 16, "wire");
_Static_assert(sizeof(struct wire_header) == 32, "wire");
_Static_assert(sizeof(struct wire_block) == 64, "wire");
_Static_assert(sizeof(struct wire_footer) == 16, "wire");

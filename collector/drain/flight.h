/* SPDX-License-Identifier: MIT */
/*
 * flight.h - the flight recorder: the newest blocks of all workers, in memory, up to a size.
 *
 * The oldest are thrown away for newer ones, whosever they are; what is left of a worker is always
 * its newest.  Used by the collector's thread; what it allocates is freed by flight_free().
 *
 * Beside a block lies how many events the worker made for it: those of collapsed tasks are lost
 * with it, too.
 *
 * All this may lie in a log, which is memory behind the rings that outlives the process
 * (collector/session/shared.h).  There each block has a record before it that says all of it, so
 * that a successor, or `tptrace recover`, finds what was kept.  Whenever who keeps them is killed,
 * the records from `first` to `end` are whole.  The collector itself trusts nothing that lies in
 * the log.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "collector/trace/encode.h"
#include "collector/trace/file.h"

#define FLIGHT_MAGIC "tptlast\n"
#define FLIGHT_HEAD_BYTES 4096u
#define FLIGHT_SLACK_BYTES (1u << 20) /* a record lies in one piece: room for what that wastes */

/* The log's first bytes.  Position p of a record is FLIGHT_HEAD_BYTES + p % room behind them. */
struct flight_log {
	char magic[8];
	_Atomic uint64_t room;	/* bytes of all records; a multiple of 64 */
	_Atomic uint64_t first; /* position of the oldest record, .. */
	_Atomic uint64_t end;	/* .. and behind the newest.  Never more than `room` apart */
};

/* A block in the log; its body follows. */
struct flight_record {
	uint64_t bytes;	       /* with body and padding; 0: the next one is at the log's begin */
	uint64_t before_units; /* of the worker's last event before the block */
	uint64_t running;      /* the task whose strand ran then, 0 for none */
	uint64_t n_before;     /* events that the worker had made before, .. */
	uint64_t n_made;       /* .. and those of the block, also of collapsed tasks */
	struct wire_block block;
};

struct flight_block {
	struct wire_block block;
	const void *body;
	uint64_t before_units, running, n_made; /* as in flight_record */
	bool is_own;				/* the body was allocated */
	uint64_t at;				/* position in the log, if it lies there */
};

/* Whether bytes of the log can be written to from now on. */
typedef bool flight_reserve(const void *at, size_t bytes);

struct flight {
	uint64_t max_bytes; /* 0: there is no flight recorder */
	uint64_t bytes;	    /* of what is kept, as it takes in a file */
	struct flight_block *block; /* n of them from `first` on, the oldest first */
	uint64_t first, n;
	struct flight_count {
		uint64_t put, thrown; /* events that a worker made */
		uint32_t next_seqno;  /* of flight_write(): of the file's next block of it */
	} * count;		      /* n_workers */
	uint32_t n_workers;
	bool has_thrown;
	enum wire_loss why; /* what was thrown away is missing; WIRE_LOSS_OLD */

	struct flight_log *log; /* NULL: bodies are allocated */
	uint64_t log_room, log_end, log_reserved;
	flight_reserve *reserve; /* NULL: all of it can be written to */
};

/* Bytes of a log for so many of blocks. */
static inline uint64_t flight_log_bytes(uint64_t max_bytes)
{
	return FLIGHT_HEAD_BYTES + max_bytes + FLIGHT_SLACK_BYTES;
}

/* Bodies go into a new log in that memory (zero, 64-aligned) from now on. */
void flight_use_log(struct flight *flight, void *memory, uint64_t bytes, flight_reserve *reserve);

/*
 * Takes up what lies in a copy of a log of that size, whose bytes behind `end` need not be there;
 * the bodies stay in the copy.  False if it makes no sense: then nothing is kept.  Blocks that are
 * put afterwards are allocated.
 */
bool flight_load(struct flight *flight, const void *memory, uint64_t bytes);

/*
 * Likewise of a log that stays where it is: who put it there has died, and what is put afterwards
 * goes on behind it.  All of its bytes can be written to.
 */
bool flight_resume(struct flight *flight, void *memory, uint64_t bytes);

/* A worker made so many events, and none of them is kept. */
int flight_forget(struct flight *flight, uint32_t worker, uint64_t n_events);

/* The newest block of a worker that is kept; NULL if there is none. */
const struct flight_block *flight_newest(const struct flight *flight, uint32_t worker);

/* Keeps a copy of a block.  0 or -ENOMEM. */
int flight_put(struct flight *flight, const struct flight_block *block);

/* The i-th that is kept, of `n`; the oldest is 0. */
struct flight_block *flight_at(const struct flight *flight, uint64_t i);

/* Throws the older half of the bytes away.  False if only one block is kept. */
bool flight_halve(struct flight *flight);

/* From when on events are kept; 0 if none was thrown away. */
uint64_t flight_since(const struct flight *flight);

/*
 * Writes all that is kept to a file that has no events yet, each worker's stream opened by what is
 * missing before it, since begin_units.  It is now end_units.  An error is the file's.
 */
void flight_write(struct flight *flight, struct trace_file *file, struct encoder *encoder,
		  uint64_t begin_units, uint64_t end_units);

/* How many blocks of a worker it wrote. */
uint32_t flight_written(const struct flight *flight, uint32_t worker);

void flight_free(struct flight *flight);

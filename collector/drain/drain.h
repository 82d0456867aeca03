/* SPDX-License-Identifier: MIT */
/*
 * drain.h - moves one session's events into one trace file.
 *
 * It has no state besides struct drain, so that one thread may do it for the process that it is in,
 * and one for several others.  All calls for one drain come from one thread at a time; where there
 * are many workers, further threads take events beside it during a call (drain_thread.h).  Units
 * are those of the file: ticks >> shift.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/definitions/definitions.h"
#include "collector/trace/encode.h"
#include "collector/trace/file.h"
#include "collector/drain/flight.h"
#include "collector/drain/drain_thread.h"
#include "collector/drain/figures.h"
#include "collector/drain/stream.h"
#include "collector/session/gate.h"
#include "collector/session/layout.h"
#include "collector/session/ring.h"

#define DRAIN_FLUSH_NS 200000000u /* nothing stays in a chunk for longer than this */
/* of a file of bounded size, for definitions and its end */
#define DRAIN_RESERVE_BYTES (32u << 10)

/* What the drained process may still do. */
enum drain_phase {
	DRAIN_RUNNING, /* it goes on */
	DRAIN_ALL,     /* it goes on, but all that is there now is taken */
	DRAIN_LAST,    /* nothing will be added any more: all that is there is taken */
};

/* Of drain.c: when chunks were taken. */
struct rounds {
	uint32_t n;
	uint64_t flushed_ns, n_flushed; /* when all were taken last; blocks until then */
	uint64_t watermark_ticks;	/* all before it is in the file; 0: not known */
	uint64_t written_ticks;		/* the last watermark that the file has */
	uint64_t newest_ticks;		/* no event in the file is later */
};

#define DRAIN_SPARES 2u /* descriptors that making the file takes at once */

/* A member that is a struct belongs to the file of its name; drain.c and successor.c begin it. */
struct drain {
	struct session *session;
	gate_worker *worker_at;
	void *arg;
	struct chunk_sizes chunks; /* of each worker at most; checked */
	struct drain_threads threads;
	struct collapse_limits limits;
	struct stream *stream; /* by worker */
	uint32_t n_streams;
	struct trace_file file; /* made when there is something to write; fd is -1 until then */
	uint64_t n_put;		/* blocks of events that were written */
	struct flight flight;	/* where blocks go, if the newest are to be kept */
	struct rounds rounds;
	struct definitions definitions;
	struct lines lines; /* of the block of definitions at hand; with room for the end's */
	struct after_end after_end;
	uint32_t shift;
	uint32_t granularity; /* of the clock: granularity.h */
	uint64_t begin_units;
	uint32_t n_snapshots;
	uint32_t n_spares; /* descriptors kept for the file until it is made, so that who takes */
	int spare[DRAIN_SPARES]; /* what there are, as for samples, leaves it these */
	uint32_t n_unread;	 /* workers whose ring could not be read (recover.c) */
	int cut_error;		 /* why the oldest that was kept is not in the file; 0: it is */
	bool failure_is_said;	 /* of the file (messages.c) */
	const char *part;	 /* what path_create() is given */
	bool as_is;		 /* no more is collapsed than was */
	bool ready;		 /* shift, granularity and begin_units are known */
	bool last;		 /* DRAIN_LAST was asked for */
	_Atomic bool full;	 /* the file has its size */
};

/*
 * Gets ready to drain the session; 0, -ENOMEM, or -EPROTO if it cannot be one.  What it allocates
 * is freed by drain_close().
 */
int drain_open(struct drain *drain, struct session *session, gate_worker *worker_at, void *arg);

/* Keeps the spare descriptors, or -errno; they are copies of one that is open. */
int drain_reserve(struct drain *drain, int fd);

/* The CPUs of the session's process; how many threads collect at most: as it asks, or as many. */
uint32_t drain_cpus(const struct session *session);
uint32_t drain_most_threads(const struct session *session);

/* Further threads, which take events beside the caller's, are started like that. */
void drain_use_threads(struct drain *drain, const struct thread_calls *calls);

/* Samples of CPU times come from that reader; without one there are none.  (Those of stacks come
 * from definitions.stacks.) */
void drain_sample(struct drain *drain, cputimes_reader *reader, void *arg);

/* Times are those of the session's drain before this one; or there was none. */
void drain_go_on(struct drain *drain);
void drain_begin(struct drain *drain);

/* Bytes of blocks that the flight recorder keeps for such a session; 0: it has none. */
uint64_t drain_keeps(const struct session *session);

/*
 * Takes the full chunks of the workers that are due or, from time to time and at the last, all
 * events.  True if it took any: then there may be more at once.  After an error of the file events
 * are taken and discarded, so that nobody waits.
 */
bool drain_round(struct drain *drain, enum drain_phase phase);

/* How long its thread may sleep after a round that took nothing. */
uint64_t drain_rest_ns(const struct drain *drain);

/*
 * Before drain_end(), where other threads may go on: takes what is there at `end`, so that as
 * little as can be lies between that instant and the writing of the end.  The end counts
 * the events that come meanwhile.
 */
void drain_settle(struct drain *drain, struct clock_pair end, enum drain_phase phase);

/*
 * Writes the end of the trace: that all before `end` is there, the last definitions, `how` (what
 * `meta ended` says), index and footer.  Nothing if there is no
 * file. If rounds go on, what they write takes its place.
 */
void drain_end(struct drain *drain, struct clock_pair end, const char *how);

/* Takes all that there is up to `now`, into the trace or what is kept.  0, or -errno and *err:
 * ENODATA if there is nothing yet. */
int drain_flush(struct drain *drain, struct clock_pair now, struct err *err);

/*
 * Writes all that there is up to now into another file, whose path is written to `path`.  The
 * recording goes on.  0 or -errno and *err.
 */
int drain_snapshot(struct drain *drain, char *path, size_t room, struct err *err);

/* Closes the file as it is and frees all.  A zeroed drain with file.fd -1 is fine. */
void drain_close(struct drain *drain);

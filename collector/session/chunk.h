/* SPDX-License-Identifier: MIT */
/*
 * chunk.h - where a worker's events lie: chunks of slots, and a word each that says whose they are.
 *
 * Each event that a worker makes has a number, from 0 on; its `head` is the next one's.  A chunk
 * holds the events of numbers first .. end - 1, so the chunks of a worker, put in order by their
 * numbers, are its stream.  Whoever reads goes by numbers and by nothing else: the collector, its
 * successor, `tptrace recover` and a snapshot all ask chunk_find() for the chunk with the number
 * that they want next.
 *
 *	FREE	  nothing is in it: the worker may begin with it
 *	FILLING	  the worker's: its events end at `head`; at most one is
 *	FULL	  its events end at `end`
 *	TAKEN	  a collector without a ring file has copied its events and written no block of
 *		  them yet; the worker may begin with it, and till then a successor may take
 *		  them once more
 *
 * Only the worker writes slots.  PINNED, which a collector adds to FILLING or FULL before it reads
 * slots, keeps them: the worker neither thins nor frees such a chunk.  Nobody waits for the other,
 * but a worker without a FREE chunk for one.
 *
 * A worker that thins (preload/worker.c) replaces its chunk by a smaller one.  With chunks of 8:
 *
 *	A FILLING 0..		head 7			A holds 0 1 2 3 4 5 6
 *	A FILLING, B FULL	the pass wrote what is left of them to B: "0..6 in 3 slots"
 *	A FREE, B FULL		unless the collector has pinned A: then B is FREE again, A is FULL
 *	A FREE, B FILLING 0..	the worker goes on in B's fourth slot with number 7, if less than
 *				half of B is used; or else B stays FULL
 *
 * Between two of these stores both A and B have the numbers 0..6: who takes either looks for 7
 * next, and passes over the other, which ends there.  So a process that is killed anywhere leaves
 * each event in a chunk that chunk_find() finds, and gives it once.
 *
 * A word changes its upper bits each time that the worker begins with the chunk anew: as long as a
 * word is the same, so is what the chunk says of itself.
 */
#pragma once

#include "collector/session/place.h"

/* Events of the largest: 128 KiB.  Two of them and a pass's tables stay in a core's second cache;
 * in smaller ones a pass finds fewer whole tasks. */
#define CHUNK_EVENTS 8192u
#define CHUNK_EVENTS_MIN 256u
#define CHUNK_NONE UINT32_MAX
#define CHUNK_SPARE 64u /* slots at its end for the notes of gaps, of probes and of the recorder   \
			 */

enum chunk_state { CHUNK_FREE, CHUNK_TAKEN, CHUNK_FILLING, CHUNK_FULL };
#define CHUNK_STATE 3u
#define CHUNK_PINNED 4u
#define CHUNK_AGAIN 8u

static inline enum chunk_state chunk_state_of(uint64_t word)
{
	return (enum chunk_state)(word & CHUNK_STATE);
}

static inline uint64_t chunk_word(const struct chunk *chunk)
{
	return atomic_load_explicit(&chunk->word, memory_order_acquire);
}

static inline uint64_t chunk_end(const struct chunk *chunk)
{
	return atomic_load_explicit(&chunk->end, memory_order_relaxed);
}

/* Numbers that the program may have overwritten; others never wrap. */
static inline bool chunk_before(uint64_t a, uint64_t b)
{
	return (int64_t)(b - a) > 0;
}

/* ---- the worker's side ---- */

/* FREE -> FILLING, from that number on. */
void chunk_begin(struct chunk *chunk, uint64_t first);
/* FILLING -> FULL, with all before `head`. */
void chunk_finish(struct chunk *chunk, uint64_t head);

/* FREE -> FULL: n slots stand for all that is in `from`, which is FILLING up to `head`. */
void chunk_replace(struct chunk *to, const struct chunk *from, uint64_t head, uint32_t n);
/* After that: FILLING -> FREE.  False if the collector has pinned it. */
bool chunk_drop(struct chunk *chunk);
/* After that: FULL -> FILLING, to go on behind.  Likewise. */
bool chunk_reopen(struct chunk *chunk);
/* Or else: FULL -> FREE, unless the collector has pinned it. */
void chunk_withdraw(struct chunk *chunk);

/* TAKEN -> FREE.  False if a successor was faster. */
bool chunk_reuse(struct chunk *chunk);

/* How many are FULL and have events from that number on. */
uint32_t chunk_count_full(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from);

/* Events of a worker, to be collapsed: slot[0] .. slot[n - 1]. */
struct slice {
	const struct wire_event *slot;
	uint32_t n, worker;
	uint64_t n_ids; /* given out before; brought up to date */
};

/* ---- the collector's side: trusts no number ---- */

/* Events that lie in one piece. */
struct chunk_events {
	struct chunk *chunk; /* pinned */
	const struct wire_event *slot;
	uint32_t n;	  /* may be 0: then those of all numbers were skipped */
	uint32_t n_whole; /* the first of them stand for more numbers, and are taken together */
	uint64_t number;  /* behind the whole ones; from there on each has one */
	bool full;	  /* no more will follow in this chunk */
};

/*
 * Pins the chunk that has number `from`; *out are its events from there on.  False if there is none
 * yet; or if `from` lies amid what a thinned chunk stands for.
 */
bool chunk_find(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from,
		struct chunk_events *out);

/* The first number of the oldest chunk that has any from `from` on; `head` if there is none. */
uint64_t chunk_oldest(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from);

/* FULL -> FREE, or TAKEN, of those that end at `number` or before.  True if any did. */
bool chunk_release(struct worker *worker, const struct chunk_sizes *sizes, uint64_t number,
		   enum chunk_state to);

/* A successor: TAKEN -> FULL, of those that end behind `number`, from the newest on until the
 * worker has begun with one again. */
void chunk_take_back(struct worker *worker, const struct chunk_sizes *sizes, uint64_t number);

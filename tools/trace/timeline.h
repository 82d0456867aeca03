/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - how the units of a trace become ns, piece by piece, and what its clock did.
 *
 * A piece reaches from one pair of both clocks (the first or last sync line, or a snapshot) to the
 * next, and is linear.  A larger unit never becomes a smaller ns.  A trace without snapshots has
 * one piece.  Pairs less than 1 ms apart say nothing of a rate: the snapshot is left out.
 *
 * The trace's own rate is the median of the pieces' (by their lengths, each at most 1 s); it goes
 * on after the last pair.  Between two pairs the clock jumped if it is off from that rate by 100 us
 * and by more than 1 in 100; or by 1 in 1000, and the rates before and after are not on both sides
 * of that.  Else it drifted.  A pair whose units are not larger than those before it is a jump
 * back; no piece begins there.
 *
 * Built once, read-only from then on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/trace/defs_read.h"
#include "collector/trace/err.h"

struct timeline_piece {
	uint64_t units, ns; /* where it begins; ns since the first pair */
	uint64_t scale;	    /* ns = units * scale >> 48 */
};

struct timeline {
	struct timeline_piece *piece; /* n, by units; at least one */
	uint32_t n;
	uint64_t scale;	     /* the trace's own rate */
	uint64_t off_ppb;    /* the most that a piece is off from it */
	uint32_t n_jumps;    /* of the clock */
	int64_t jump_ns;     /* the largest: positive if the clock went ahead of the time */
	uint64_t jump_at_ns; /* since the first pair: not before this, */
	uint64_t jump_to_ns; /* and not after this */
	uint32_t drift_ppm;  /* between the slowest and the fastest piece without a jump */
	uint64_t drift_ns;   /* that these pieces are off from the trace's rate, in all */
};

/* 0, -ENOMEM, or -EPROTO: no two pairs are of one clock. */
int timeline_build(struct timeline *timeline, const struct defs *defs);
/* The same of a trace of that path, also one whose units are ns.  0, or -errno and *err. */
int timeline_read(struct timeline *timeline, const struct defs *defs, const char *path,
		  struct err *err);
void timeline_free(struct timeline *timeline); /* a zeroed one is fine */

/* The piece that has these units; `near` is a guess, any number. */
uint32_t timeline_find(const struct timeline *timeline, uint64_t units, uint32_t near);

/* The time in that piece; 0 before the first pair.  It has to fit. */
static inline uint64_t timeline_ns(const struct timeline_piece *piece, uint64_t units)
{
	if (units < piece->units)
		return 0;
	return piece->ns +
	       (uint64_t)((unsigned __int128)(units - piece->units) * piece->scale >> 48);
}

/* Whether these units are a number of ns below 2^63; then so are all before them. */
bool timeline_fits(const struct timeline *timeline, uint64_t units);

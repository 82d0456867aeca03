/* SPDX-License-Identifier: MIT */
/*
 * code.h - where stack samples of workers belong: to a kind, or to what a worker is in besides.
 *
 * A sample belongs to the strand that its worker runs at that time.  A collapsed strand stands for
 * tasks of several kinds: the functions in the stack say which, else it is the strand's own kind.
 * Outside of strands it belongs to what the worker is in (states.h).
 *
 * Built once, read-only from then on.  Times are ns since the window began.
 */
#pragma once

#include "tools/analysis/pauses.h"
#include "tools/analysis/select.h"
#include "tools/analysis/spots.h"
#include "tools/dag/dag.h"

#define CODE_NO_KIND UINT32_MAX
#define CODE_IN_KERNEL (UINT32_C(1) << 31) /* a flag of `stack` */

#define MEETING_WORD_SHIFT 2 /* of an address: words of 4 bytes */

/* 20 bytes: there may be as many as strands. */
struct code_sample {
	uint32_t ns_low;
	uint16_t ns_high;
	uint16_t worker;
	uint32_t stack;	    /* of the trace's definitions, 0: unknown; CODE_IN_KERNEL */
	uint32_t word;	    /* that its instruction used (MEETING_WORD_SHIFT); 0: unknown */
	uint32_t asleep_us; /* it slept, and the sample stands for so long; 0: it had a CPU */
};

/* All samples of one stack in one kind, or state. */
struct code_cell {
	kind_id kind;	/* CODE_NO_KIND: of no task */
	uint8_t state;	/* enum state: RUNNING with a kind */
	bool in_kernel; /* .. on behalf of the stack's innermost frame */
	uint32_t stack;
	uint64_t n, n_beside; /* that had a CPU; of which another worker ran a strand, too */
	uint64_t n_together;  /* of which one was at the same spot, for the same memory, .. */
	uint64_t n_apart;     /* .. or another word of its cache line */
	uint8_t spot;	      /* enum code_spot */
	uint64_t n_asleep, asleep_ns;
};

struct code {
	struct code_cell *cell;
	uint32_t n_cells;
	uint64_t room;
	uint64_t n;	    /* samples with a CPU, as far as they are selected */
	uint64_t *kind_n;   /* of which in tasks of the kind: n_kinds; NULL: there are no samples */
	uint64_t *memory_n; /* .. behind a load or store of memory that no other worker was at */
	uint32_t *strand_n; /* .. and in each strand; NULL likewise */
};

static inline uint64_t code_sample_ns(const struct code_sample *sample)
{
	return (uint64_t)sample->ns_high << 32 | sample->ns_low;
}

/* What the functions of stacks tell. */
struct code_stacks {
	uint32_t n;
	const uint32_t *kind;	       /* 1 + the kind; 0: none */
	const uint8_t *spot;	       /* enum code_spot, CODE_AWAITS, CODE_WRITES; .. */
	const uint8_t *spot_in_kernel; /* .. while it is in the kernel */
	uint64_t fresh_ns;	       /* whose sample is older is not there any more, .. */
	uint64_t period_ns;	       /* .. and, than this, had no CPU meanwhile */
};
#define CODE_AWAITS 0x40u /* a lock is not free */
#define CODE_WRITES 0x80u /* its instruction does */
#define CODE_SPOT 0x3fu

/* Sorts the samples by time. */
void code_build(struct code *code, const struct dag *dag, const struct pauses *pauses,
		const struct select *select, struct code_sample *sample, uint64_t n,
		const struct code_stacks *stacks);
void code_free(struct code *code); /* a zeroed one is fine */

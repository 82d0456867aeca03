/* SPDX-License-Identifier: MIT */
/*
 * virtual_file.h - how long strands and calls of the runtime take in virtual time: the file that
 * `tptrace record --virtual` writes and the recorder maps (preload/probes/virtual/virtual_time.c).
 *
 * The header, n_groups groups, n_values numbers, then two texts that end with a NUL: the list of
 * kinds as preload/probes/kind_list.h has it, and what the trace says of the run (`meta virtual`).
 * Times are ns.  Both sides are of one version of tptrace; the recorder checks sizes all the same.
 */
#pragma once

#include <stdint.h>

#define VIRTUAL_VARIABLE "TPTRACE_VIRTUAL" /* the file's path */
#define VIRTUAL_MAGIC "tptvirt1"

/* How strands begin and end, as tools/model/fits.h groups them. */
enum virtual_begin { VIRTUAL_FIRST, VIRTUAL_CONTINUES, VIRTUAL_JOINS, VIRTUAL_BEGINS };
enum virtual_end {
	VIRTUAL_ENDS,
	VIRTUAL_CREATES,
	VIRTUAL_FORKS,
	VIRTUAL_WAITS,
	VIRTUAL_LOCKS,
	VIRTUAL_UNLOCKS,
	VIRTUAL_GOES_ON,
	VIRTUAL_END_KINDS
};

/* What the runtime takes before a strand begins: tools/model/leads.h says what each is. */
enum virtual_lead {
	VIRTUAL_LEAD_CREATE,
	VIRTUAL_LEAD_CALL,
	VIRTUAL_LEAD_BEGIN,
	VIRTUAL_LEAD_BACK,
	VIRTUAL_LEAD_TAKE,
	VIRTUAL_LEAD_WAKE,
	VIRTUAL_LEAD_RESUME,
	VIRTUAL_LEAD_REJOIN,
	VIRTUAL_LEAD_HANDOVER,
	VIRTUAL_LEAD_MEMBER,
	VIRTUAL_LEAD_YIELD,
	VIRTUAL_LEADS
};

/* Numbers in a row: value[at] up to value[at + n]. */
struct virtual_values {
	uint32_t at, n;
};

struct virtual_group {
	uint8_t class; /* 1 + the kind's place in the list */
	uint8_t begin, end;
	uint8_t in_turn;	     /* too few to be fitted: drawn one after the other */
	struct virtual_values bin;   /* equally likely; never empty */
	struct virtual_values first; /* of a worker's first strand of this group; may be empty */
};

struct virtual_header {
	char magic[8];
	uint64_t seed;
	uint32_t n_groups, n_values;
	uint32_t kinds_bytes, said_bytes;	   /* of the texts, with their NULs */
	struct virtual_values lead[VIRTUAL_LEADS]; /* quantiles, equally likely */
};

/* SPDX-License-Identifier: MIT */
/*
 * rank.h - what is kept of the calls of MPI of one rank, for the report of its job.
 *
 * Kinds and sites of its calls and steps are numbers of places here.
 */
#pragma once

#include <stdio.h>
#include "tools/analysis/rank_calls.h"
#include "tools/summary/bytes.h"
#include "tools/summary/summary.h"

struct rank {
	struct rank_calls calls;
	struct place *place; /* n_places; its own, with their strings */
	uint64_t *work_ns;   /* n_places: of the tasks of a kind */
	uint32_t n_places;
};

/* Nothing is kept of a part of a run.  0 or -ENOMEM. */
int rank_of(struct rank *rank, const struct summary *summary);
void rank_free(struct rank *rank); /* a zeroed one is fine */

/* As bytes, and back: 0 or -ENOMEM, also for what is not whole. */
void rank_write(FILE *out, const struct rank *rank);
int rank_read(struct rank *rank, struct bytes *bytes);

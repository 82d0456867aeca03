/* SPDX-License-Identifier: MIT */
/*
 * spots.h - where tasks meet inside their code, as stack samples show it.
 *
 * A spot is what the functions of a library say of a stack: it takes or awaits a lock, libc's of
 * rand() or of the allocator, or one of the program's.  Several workers at one spot hinder one
 * another; one alone does not.
 */
#pragma once

#include "tools/dag/dag.h"

enum code_spot { SPOT_NONE, SPOT_LOCK, SPOT_RAND, SPOT_ALLOCATOR, SPOTS };

/* All samples of a kind at one spot. */
struct kind_spot {
	kind_id kind;
	enum code_spot spot;
	uint64_t n, n_together; /* samples with a CPU; of which another worker was there, too */
	uint64_t asleep_ns;	/* slept there */
	uint64_t n_kind;	/* all of the kind with a CPU */
	/* with the most samples: */
	const char *function; /* of the library, .. */
	char place[128];      /* .. and the user's that calls it, with its line; "" */
};

struct kind_spots {
	struct kind_spot *spot;
	uint32_t n;
	uint64_t period_ns; /* of CPU time, that a sample stands for */
};

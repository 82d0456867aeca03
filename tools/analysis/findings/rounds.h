/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - when there are tasks, who runs them, and how many are created from wait to wait.
 *
 * Built in one pass over the strands, beside other analyses; read-only from then on.
 */
#pragma once

#include "tools/analysis/findings/crowd.h"

/* Tasks of a kind, but for collapsed ones. */
struct kind_rounds {
	struct majority ran;
	struct crowd crowd;
};

/* Waits of one site. */
struct wait_rounds {
	uint64_t n_ends;    /* strands that wait there, .. */
	uint64_t n_single;  /* .. of these, after one creation alone since the wait before .. */
	uint64_t single_ns; /* .. so soon */
};

struct rounds {
	struct kind_rounds *kind; /* dag->n_kinds */
	struct wait_rounds *wait; /* dag->n_waits */
	struct majority ran_collapsed;
	/* from the first to the last strand of a task; of a program that has none, of members of
	 * teams */
	uint64_t tasks_from_ns, tasks_to_ns;
};

int rounds_find(struct rounds *rounds, const struct dag *dag); /* 0 or -ENOMEM */
void rounds_free(struct rounds *rounds);		       /* a zeroed one is fine */

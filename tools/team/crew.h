/* SPDX-License-Identifier: MIT */
/*
 * crew.h - pieces of work in child processes, so many at once, on this machine and on other ranks.
 *
 * What the work prints, and what it hands over, is taken in order, as if there were no children and
 * no ranks (children.h, ranks.h).  Rank 0 has the list of pieces, hands them out in batches that
 * get smaller towards the end, and takes what comes of them; it does its share, too.
 */
#pragma once

#include "tools/team/children.h"
#include "tools/team/ranks.h"

struct crew {
	/* In the child: its status, not negative.  What it writes to `result` comes back. */
	int (*work)(void *work_context, const char *name, FILE *result);
	void *work_context;
	/* What it is done on, here or elsewhere; borrowed. */
	const char *(*name)(void *context, uint32_t piece);
	/* In order, 0 to n - 1. */
	void (*take)(void *context, uint32_t piece, struct crew_done *done);
	void *context;
	uint32_t width;	     /* children at once */
	struct ranks *ranks; /* joined; or NULL */
};

/* Does n pieces, begun in this order (a permutation).  0 or -errno: -EPIPE if ranks are lost.
 * Further pieces may follow, until the other ranks are dismissed. */
int crew_run(const struct crew *crew, const uint32_t *order, uint32_t n);
void crew_dismiss(const struct crew *crew);

/* On the other ranks: does what rank 0 hands out, until they are dismissed.  The same errors. */
int crew_serve(const struct crew *crew);

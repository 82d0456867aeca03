/* SPDX-License-Identifier: MIT */
/* released.h - how many strands become ready when a strand ends: a byte a strand, mostly. */
#pragma once

#include "tools/analysis/path.h"
#include "tools/analysis/select.h"
#include "tools/base/table.h"

struct released {
	uint8_t *n;	   /* n_strands; 255: see many */
	struct table many; /* strand -> number */
};

/*
 * Of the strands of these runtimes; and how many of those that start in the selected time do so on
 * another worker than the one their releaser ended on.  0 or -ENOMEM.
 */
int released_count(struct released *released, const struct dag *dag, uint16_t runtimes,
		   const struct select *select, uint64_t *n_steals);
void released_free(struct released *released); /* a zeroed one is fine */

static inline uint64_t released_by(const struct released *released, strand_id s)
{
	return released->n[s] < UINT8_MAX ? released->n[s] : *table_find(&released->many, s);
}

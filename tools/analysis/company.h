/* SPDX-License-Identifier: MIT */
/*
 * company.h - what tasks took, by how many workers ran something beside them.
 *
 * Of tasks of one strand, which are not collapsed and lie in the selected time whole.  How many ran
 * beside one is their mean while it ran, rounded: 0 to 7, then from a power of two up to the next.
 *
 * Built once, read-only from then on.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define COMPANY_SIZES 16u /* the last: from 1024 on */

struct company_row {
	kind_id kind;
	uint32_t others; /* at least, while one of these tasks ran */
	uint64_t n_tasks, work_ns;
	uint64_t n_samples; /* with a CPU */
};

struct company {
	struct company_row *row; /* by kind, and then by others; only those with tasks */
	uint32_t *first;	 /* by kind: in row[]; n_kinds + 1 */
};

/* n_samples: with a CPU, by strand; NULL: there are none. */
void company_build(struct company *company, const struct dag *dag, const struct select *select,
		   const uint32_t *n_samples);
void company_free(struct company *company); /* a zeroed one is fine */

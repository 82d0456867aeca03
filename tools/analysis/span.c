/* SPDX-License-Identifier: MIT */
/* span.c - the longest path, in one loop over the strands. */
#include "tools/analysis/span.h"

#include <errno.h>
#include <stdlib.h>

int span_of(const struct dag *dag, uint64_t *span_ns)
{
	uint64_t *longest = malloc((dag->n_strands + 1ull) * sizeof(*longest)); /* up to its end */

	*span_ns = 0;
	if (!longest)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t before = 0;

		for (uint32_t e = dag->strand[s].first_in; e < dag->strand[s + 1].first_in; e++)
			if (longest[dag->from[e]] > before)
				before = longest[dag->from[e]];
		longest[s] = before + dag_end(dag, s) - dag_start(dag, s);
		if (longest[s] > *span_ns)
			*span_ns = longest[s];
	}
	free(longest);
	return 0;
}

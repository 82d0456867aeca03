/* SPDX-License-Identifier: MIT */
/* span.c - the longest path, in one loop over the strands. */
#include "tools/analysis/span.h"

#include <errno.h>
#include <stdlib.h>

/* The longest path up to a strand's end: no longer than the window, so 48 bits. */
struct ns48 {
	uint16_t part[3];
};

static uint64_t read48(const struct ns48 *ns)
{
	return (uint64_t)ns->part[2] << 32 | (uint32_t)ns->part[1] << 16 | ns->part[0];
}

static void write48(struct ns48 *ns, uint64_t value)
{
	ns->part[0] = (uint16_t)value;
	ns->part[1] = (uint16_t)(value >> 16);
	ns->part[2] = (uint16_t)(value >> 32);
}

int span_of(const struct dag *dag, uint64_t *span_ns)
{
	struct ns48 *longest = malloc((dag->n_strands + 1ull) * sizeof(*longest));
	uint32_t e = 0;

	*span_ns = 0;
	if (!longest)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t before = 0;

		if (dag->strand[s].pred != STRAND_NONE)
			before = read48(&longest[dag->strand[s].pred]);
		for (; e < dag->n_extras && dag->extra[e].to == s; e++)
			if (read48(&longest[dag->extra[e].from]) > before)
				before = read48(&longest[dag->extra[e].from]);
		const struct hidden *hidden = dag_hidden(dag, s);

		before += hidden ? hidden->span_ns : dag_length(dag, s);
		write48(&longest[s], before);
		if (before > *span_ns)
			*span_ns = before;
	}
	free(longest);
	return 0;
}

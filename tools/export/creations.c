/* SPDX-License-Identifier: MIT */
/* creations.c - sorts tasks by the strand that created them. */
#include "tools/export/creations.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"

ORDER(by_strand, struct creation, BY_LEAST(by) ?: BY_LEAST(task))

void creations_find(struct creations *creations, const struct export *export)
{
	const struct dag *dag = export->dag;

	*creations = (struct creations){ .creation = xmalloc((export->n_tasks + 1) *
							     sizeof(*creations->creation)) };
	for (task_id t = 0; t < dag->n_tasks; t++) {
		strand_id first = export->task[t].first;
		strand_id by = first == STRAND_NONE || !(dag->how[first] & STRAND_FIRST)
				       ? STRAND_NONE
				       : dag->strand[first].pred;

		if (export->task[t].kept && by != STRAND_NONE && export_has(export, by) &&
		    export_has(export, first))
			creations->creation[creations->n++] = (struct creation){ by, t };
	}
	qsort(creations->creation, creations->n, sizeof(*creations->creation), by_strand);
}

void creations_free(struct creations *creations)
{
	free(creations->creation);
	*creations = (struct creations){ 0 };
}

const struct creation *creations_of(const struct creations *creations, strand_id by, uint64_t *n)
{
	uint64_t first = SORTED_BEFORE(creations->creation, creations->n, it->by < by);
	uint64_t end = first;

	while (end < creations->n && creations->creation[end].by == by)
		end++;
	*n = end - first;
	return &creations->creation[first];
}

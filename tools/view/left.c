/* SPDX-License-Identifier: MIT */
/* left.c - adds up the strands that are left out, and writes what has any. */
#include "tools/view/left.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/view/section.h"
#include "tools/view/columns.h"

struct left {
	uint64_t n_tasks, n_strands, work_ns, start_ns, end_ns;
};

static void add_left(struct left *left, const struct view_run *run, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(run->dag, s);

	left->n_tasks += run->lives.first[run->dag->strand[s].task] == s;
	left->n_tasks += collapsed ? collapsed->n_tasks : 0;
	left->work_ns += dag_work(run->dag, s);
	if (left->n_strands++ == 0)
		left->start_ns = dag_start(run->dag, s);
	if (left->end_ns < dag_end(run->dag, s))
		left->end_ns = dag_end(run->dag, s);
}

static void put_left(struct section *section, const struct left *left, uint32_t behind)
{
	section_number(section, behind);
	section_number(section, left->n_tasks);
	section_number(section, left->n_strands);
	section_number(section, left->work_ns);
	section_number(section, left->start_ns);
	section_number(section, left->end_ns - left->start_ns);
}

int left_put(FILE *out, const struct view_run *run)
{
	const struct keep *keep = &run->keep;
	struct left *left = keep->number ? calloc(keep->n + 1ull, sizeof(*left)) : NULL;
	struct section section = { 0 };
	uint32_t last = 0;

	if (keep->number && !left)
		return -ENOMEM;
	for (strand_id s = 0; left && s < run->dag->n_strands; s++)
		if (keep_number(keep, s) == STRAND_NONE && !dag_is_node(run->dag, s))
			add_left(&left[keep_owner(keep, s)], run, s);
	for (uint32_t i = 0; left && i <= keep->n; i++) {
		if (left[i].n_strands == 0)
			continue;
		put_left(&section, &left[i], i - last);
		last = i;
	}
	free(left);
	return section_put(out, &section, "left");
}

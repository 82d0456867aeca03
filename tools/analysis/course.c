/* SPDX-License-Identifier: MIT */
/* course.c - shares each step of a sweep among the cells that it lies in. */
#include "tools/analysis/course.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int course_open(struct course *course, uint64_t elapsed_ns, const struct select *select)
{
	*course = (struct course){ .to_ns = elapsed_ns };
	if (select && select->n) {
		course->from_ns = select->span[0].from_ns;
		course->to_ns = select->span[select->n - 1].to_ns;
	}
	course->cell_ns = (double)(course->to_ns - course->from_ns) / COURSE_CELLS;
	course->cell = calloc(COURSE_CELLS, sizeof(*course->cell));
	return course->cell ? 0 : -ENOMEM;
}

int course_copy(struct course *copy, const struct course *course)
{
	*copy = *course;
	copy->cell = malloc(COURSE_CELLS * sizeof(*copy->cell));
	if (!copy->cell)
		return -ENOMEM;
	memcpy(copy->cell, course->cell, COURSE_CELLS * sizeof(*copy->cell));
	return 0;
}

void course_free(struct course *course)
{
	free(course->cell);
	*course = (struct course){ 0 };
}

void course_add_mixture(struct course_cell *cell, double ns, const struct mixture *mixture)
{
	cell->n_in[STATE_RUNNING] += ns * (mixture->n_members - mixture->idle);
	cell->n_in[STATE_RUNTIME] += ns * (mixture->idle - mixture->held); /* to run its own */
	cell->n_in[STATE_TRACER] += ns * mixture->held;
	cell->ready += ns * mixture->idle;
	for (int i = 0; i < EDGE_KINDS; i++)
		cell->ready += ns * mixture->ready[i];
}

#define INSIDE 1e-9 /* much more than what rounding moves a border by */

void course_add_across(struct course *course, const struct sweep *sweep)
{
	double cell_ns = course->cell_ns;
	double from = real_of(sweep->now_ns - course->from_ns), to = from + real_of(sweep->ns);
	uint32_t at;

	at = (uint32_t)(from / cell_ns);
	course->at = at < COURSE_CELLS ? at : COURSE_CELLS - 1;
	course->inside_from = course->at * cell_ns * (1 + INSIDE);
	course->inside_to = (course->at + 1) * cell_ns * (1 - INSIDE);
	while (at < COURSE_CELLS && from < to) {
		double end = at + 1 < COURSE_CELLS ? (at + 1) * cell_ns : to;

		end = end < to ? end : to;
		if (end > from)
			course_add_to(&course->cell[at], end - from, sweep, false);
		from = end > from ? end : from;
		at++;
	}
}

/* SPDX-License-Identifier: MIT */
/* course.c - shares each step of a sweep among the cells that it lies in. */
#include "tools/analysis/course.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

/*
 * When a runtime was at work, in a process that used several.
 *
 * From the first creation of one of its tasks, or the first strand of one, to the last strand of
 * one, or the last strand that such a strand let go on.  Threads that create its tasks may have
 * been there before, and after, with another runtime.
 */

struct extent {
	uint64_t from_ns, to_ns; /* from > to: none yet */
};

static void reach(struct extent *extent, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns < extent->from_ns)
		extent->from_ns = from_ns;
	if (to_ns > extent->to_ns)
		extent->to_ns = to_ns;
}

/* Of a task of the runtime; the threads that create its tasks are none. */
static bool is_of(const struct dag *dag, strand_id s, uint32_t runtime)
{
	if (s == STRAND_NONE || dag_is_node(dag, s))
		return false;
	uint32_t kind = dag_kind(dag, s);

	return kind && dag->kind_runtimes[kind] >> runtime & 1;
}

static struct extent extent_of(const struct dag *dag, uint32_t runtime)
{
	struct extent extent = { UINT64_MAX, 0 };
	uint32_t e = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		bool released = is_of(dag, pred, runtime);

		for (; e < dag->n_extras && dag->extra[e].to == s; e++)
			released |= is_of(dag, dag->extra[e].from, runtime);
		if (is_of(dag, s, runtime)) {
			bool created = dag->how[s] & STRAND_FIRST && pred != STRAND_NONE;

			reach(&extent, created ? dag_end(dag, pred) : dag_start(dag, s),
			      dag_end(dag, s));
		} else if (released && !dag_is_node(dag, s)) {
			reach(&extent, dag_start(dag, s), dag_start(dag, s));
		}
	}
	if (extent.from_ns > extent.to_ns)
		extent = (struct extent){ 0, dag->elapsed_ns };
	return extent;
}

void activity_select(const struct dag *dag, uint32_t runtime, const struct select *select,
		     struct select *out)
{
	struct extent extent = extent_of(dag, runtime);

	*out = (struct select){ .n_rows = select ? select->n_rows : 1,
				.part = select && select->part };
	if (!select) {
		select_add(out, extent.from_ns, extent.to_ns, 0);
		return;
	}
	for (uint32_t i = 0; i < select->n; i++) {
		const struct select_span *span = &select->span[i];
		uint64_t from = span->from_ns > extent.from_ns ? span->from_ns : extent.from_ns;
		uint64_t to = span->to_ns < extent.to_ns ? span->to_ns : extent.to_ns;

		select_add(out, from, to, span->row);
	}
}

void course_open(struct course *course, uint64_t elapsed_ns, const struct select *select)
{
	*course = (struct course){ .to_ns = elapsed_ns };
	if (select && select->n) {
		course->from_ns = select->span[0].from_ns;
		course->to_ns = select->span[select->n - 1].to_ns;
	}
	course->cell_ns = (double)(course->to_ns - course->from_ns) / COURSE_CELLS;
	course->cell = xcalloc(COURSE_CELLS, sizeof(*course->cell));
}

void course_copy(struct course *copy, const struct course *course)
{
	*copy = *course;
	copy->cell = xmalloc(COURSE_CELLS * sizeof(*copy->cell));
	memcpy(copy->cell, course->cell, COURSE_CELLS * sizeof(*copy->cell));
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

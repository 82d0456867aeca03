/* SPDX-License-Identifier: MIT */
/*
 * course.h - what workers were in, and how many strands were ready, as time goes by: sums of ns
 * in COURSE_CELLS stretches of equal length.
 *
 * Running and ready are as the breakdown has them: where workers run collapsed tasks, what is to
 * be expected (mixture.h).
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/analysis/sweep.h"
#include "tools/base/real.h"
#include "tools/dag/dag.h"

#define COURSE_CELLS 400u

struct course_cell {
	double ns;	     /* selected of the stretch */
	double n_in[STATES]; /* integrals of workers, */
	double ready;	     /* and of ready strands */
};

struct course {
	uint64_t from_ns, to_ns;       /* from the first to the last instant that is selected */
	double inside_from, inside_to; /* well inside of cell[at], which was added to last */
	uint32_t at;
	double cell_ns;
	struct course_cell *cell; /* COURSE_CELLS */
};

/* Of that part of a window of elapsed_ns. */
void course_open(struct course *course, uint64_t elapsed_ns, const struct select *select);
void course_copy(struct course *copy, const struct course *course);
void course_free(struct course *course);			   /* a zeroed one is fine */

/* In no cell, or in several. */
void course_add_across(struct course *course, const struct sweep *sweep);
void course_add_mixture(struct course_cell *cell, double ns, const struct mixture *mixture);

/* plain: the sweep's, as a constant */
static inline void course_add_to(struct course_cell *cell, double ns, const struct sweep *sweep,
				 bool plain)
{
	cell->ns += ns;
	cell->n_in[STATE_RUNNING] += ns * real_of(sweep->p + sweep->filled);
	if (sweep->q)
#pragma GCC unroll 4
		for (int i = STATE_RUNNING + 1; i < STATES; i++)
			cell->n_in[i] += ns * real_of(sweep->n_in[i]);
	cell->ready += ns * real_of(sweep->r);
	if (!plain && sweep->mixture.n_members)
		course_add_mixture(cell, ns, &sweep->mixture);
}

/* Adds the sweep's step of time. */
static inline void course_add(struct course *course, const struct sweep *sweep, bool plain)
{
	double from = real_of(sweep->now_ns - course->from_ns), to = from + real_of(sweep->ns);

	if (from > course->inside_from && to < course->inside_to) /* nearly always */
		course_add_to(&course->cell[course->at], to - from, sweep, plain);
	else
		course_add_across(course, sweep);
}

/*
 * What is selected of that time; `select` NULL: of all.  All of it, if none of the runtime's tasks
 * began.  `out` is freed by select_free().
 */
void activity_select(const struct dag *dag, uint32_t runtime, const struct select *select,
		     struct select *out);

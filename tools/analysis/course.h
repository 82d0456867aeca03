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

/* Of that part of a window of elapsed_ns.  0 or -ENOMEM. */
int course_open(struct course *course, uint64_t elapsed_ns, const struct select *select);
/* Adds the sweep's step of time. */
void course_add(struct course *course, const struct sweep *sweep);
int course_copy(struct course *copy, const struct course *course); /* 0 or -ENOMEM */
void course_free(struct course *course); /* a zeroed one is fine */

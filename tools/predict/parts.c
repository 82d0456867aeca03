/* SPDX-License-Identifier: MIT */
/* parts.c - the terms of each part. */
#include "tools/predict/parts.h"

#include <math.h>
#include <stdio.h>

const char *const part_name[PARTS] = { "stretch", "delay", "no-work-sched", "excess" };

enum of { ONE, TASKS, WAITS, SPAN };
enum by { ALONE, P, MOVED, CROWD }; /* 1, p, (p - 1) / p, p - 1 */

static const struct {
	enum of of;
	enum by by;
} terms[PARTS][SQUARES_COLUMNS + 1] = {
	[PART_STRETCH] = { { ONE, MOVED }, { ONE, CROWD } },
	[PART_DELAY] = { { TASKS, ALONE },
			 { WAITS, ALONE },
			 { TASKS, MOVED },
			 { WAITS, MOVED },
			 { ONE, ALONE },
			 { ONE, MOVED },
			 { SPAN, MOVED },
			 { TASKS, CROWD },
			 { WAITS, CROWD },
			 { ONE, CROWD } },
	[PART_SCHED] = { { ONE, CROWD }, { SPAN, CROWD }, { TASKS, MOVED }, { WAITS, MOVED } },
	[PART_EXCESS] = { { ONE, P }, { SPAN, CROWD }, { TASKS, ALONE }, { WAITS, ALONE } },
};
static const unsigned n_terms[PARTS] = { 2, 10, 4, 4 };
static const unsigned most_terms[PARTS] = { 2, 3, 2, 2 };

static double by_at(enum by by, double p)
{
	return by == ALONE ? 1 : by == P ? p : by == MOVED ? (p - 1) / p : p - 1;
}

static double of_at(enum of of, const struct parts_at *at)
{
	return of == ONE ? 1 : of == TASKS ? at->tasks : of == WAITS ? at->waits : at->span_ns;
}

/* With two widths one of the two explanations stands alone. */
static bool is_left_out(enum part part, enum by by, bool crowded, unsigned n_widths)
{
	if (n_widths > 2 || part == PART_SCHED || part == PART_EXCESS)
		return false;
	return by == (crowded ? MOVED : CROWD);
}

void part_find(struct part_fit *part, enum part which, bool crowded,
	       const struct part_points *points)
{
	static _Thread_local double column[SQUARES_COLUMNS][SQUARES_ROWS];
	unsigned number[SQUARES_COLUMNS], crowd = SQUARES_COLUMNS;
	struct squares in = { .n_rows = points->count, .y = points->y, .weight = points->weight };

	*part = (struct part_fit){ .part = which, .crowded = crowded };
	for (unsigned k = 0; k < n_terms[which]; k++) {
		enum by by = terms[which][k].by;

		if (is_left_out(which, by, crowded, points->n_widths))
			continue;
		if (terms[which][k].of == ONE && by == CROWD)
			crowd = in.n_columns;
		for (unsigned i = 0; i < points->count; i++) {
			const struct parts_at *at = &points->at[i];
			double value = by_at(by, at->p);

			/* s(p) / s(base) = 1 + y, with s = 1 + sum of a f: linear in a */
			if (which == PART_STRETCH)
				value -= (1 + points->y[i]) * by_at(by, points->base[i]);
			column[in.n_columns][i] = value * of_at(terms[which][k].of, at);
		}
		number[in.n_columns] = k;
		in.column[in.n_columns] = column[in.n_columns];
		in.n_columns++;
	}
	squares_sparse(&part->fit, &in, most_terms[which]);
	part->doubt = crowd < SQUARES_COLUMNS ? squares_doubt(&part->fit, &in, crowd) : INFINITY;
	for (unsigned k = 0; k < part->fit.n; k++)
		part->fit.column[k] = number[part->fit.column[k]];
}

double part_at(const struct part_fit *part, const struct parts_at *at)
{
	double sum = 0;

	for (unsigned k = 0; k < part->fit.n; k++)
		sum += part->fit.c[k] * of_at(terms[part->part][part->fit.column[k]].of, at) *
		       by_at(terms[part->part][part->fit.column[k]].by, at->p);
	return sum;
}

void part_text(const struct part_fit *part, char *out, size_t room)
{
	static const char *const of[] = { "", " x tasks", " x waits", " x span" };
	static const char *const by[] = { "", " p", " (p-1)/p", " (p-1)" };
	size_t n = 0;

	snprintf(out, room, "0");
	for (unsigned k = 0; k < part->fit.n && n < room; k++) {
		enum of what = terms[part->part][part->fit.column[k]].of;
		bool is_time = part->part != PART_STRETCH && what != SPAN;

		n += (size_t)snprintf(out + n, room - n, "%s%.4g%s%s%s", k ? " + " : "",
				      part->fit.c[k], is_time ? " ns" : "", of[what],
				      by[terms[part->part][part->fit.column[k]].by]);
	}
}

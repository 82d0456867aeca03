/* SPDX-License-Identifier: MIT */
/*
 * split_curve.h - the span of a run over the parts that the strands of some kinds are split into,
 * exactly.
 *
 * With k equal parts that cost nothing and run beside each other, a way through the graph takes
 * a + b / k: a for what is not of the kinds, b for what is. The span is the largest of these lines,
 * so it is convex in x = 1 / k and bends where another way becomes the longest. Each pass over the
 * graph finds the longest way at one x; where the lines of two x cross, the next pass finds whether
 * a third one lies above. All of it is integers, so that no bend is missed.
 *
 * Times are ns.
 */
#pragma once

#include <stdio.h>
#include "tools/model/forecast.h"
#include "tools/model/graph.h"

#define SPLIT_CURVE_LINES_MOST 64u

/* The longest way from `from` parts on up to those of the line before; the first line begins at
 * one part .. no end. */
struct split_curve_line {
	uint64_t elsewhere_ns, region_ns; /* a, b */
	uint64_t from, per;		  /* it rules from from / per parts on; 1 / 1: the last */
	kind_id other;			  /* that has most of a; UINT32_MAX: a is 0 */
};

struct split_curve {
	struct split_curve_line line[SPLIT_CURVE_LINES_MOST]; /* n, that of the most parts first */
	uint32_t n;
	bool is_exact;	   /* no more lines than that */
	uint64_t work_ns;  /* of the kinds */
	uint64_t slack_ns; /* the longest way through the kinds is so much shorter than the span */
};

/* `graph` is measured.  The kinds of `region` that are split are one; how far does not matter. */
void split_curve_find(struct split_curve *curve, const struct graph *graph,
		      const struct kind_change *region);

/* The span with that many parts, rounded up; 0 parts: without end. */
uint64_t split_curve_span(const struct split_curve *curve, uint64_t n_parts);

struct split_curve_shown {
	const struct split_curve *curve;
	const struct forecast *forecast;
	const uint32_t *parts; /* by row of the forecast; 1 of the first */
	const char *kind;      /* its name */
	char *const *name;     /* of all kinds, as options name them */
};

/* On one screen; as one line of JSON. */
void split_curve_screen(FILE *out, const struct split_curve_shown *shown);
void split_curve_json(FILE *out, const struct split_curve_shown *shown);

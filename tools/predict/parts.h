/* SPDX-License-Identifier: MIT */
/*
 * parts.h - what of a run depends on the number of workers, besides its shape: sums of few terms.
 *
 *	stretch		work on p workers / work on one - 1: code that moves between caches
 *	delay		what it costs to create tasks and to wait for them
 *	no-work-sched	workers that wait while the ready path is handed on
 *	excess		of no-work-app over what the shape explains (sample.h)
 *
 * The terms are those of the model of [Byambajav, Taura]: (p - 1) / p for what moves, p - 1 for
 * what all others slow down; no-work has span x (p - 1) besides, as steals are proportional to
 * p x span, instead of its polynomial in p.  Coefficients are not below 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tools/predict/squares.h"

/* Where a model is asked. */
struct parts_at {
	double p, work_ns, span_ns, tasks, waits; /* work and span of one worker */
};

enum part { PART_STRETCH, PART_DELAY, PART_SCHED, PART_EXCESS, PARTS };
extern const char *const part_name[PARTS];

struct part_fit {
	enum part part;
	bool crowded; /* p - 1 stands for (p - 1) / p */
	struct squares_fit fit;
	double doubt; /* standard error of a term in p - 1; INFINITY: not known */
};

struct part_points {
	const struct parts_at *at;
	const double *y;      /* share of work; ns */
	const double *weight; /* error that counts as 1, inverted */
	const double *base;   /* PART_STRETCH: workers of the run that y is relative to */
	unsigned count;
	unsigned n_widths; /* different p: with two, p - 1 and (p - 1) / p tell the same */
};

/* crowded: with two different p, the other one of the two explanations.  It may have no term. */
void part_find(struct part_fit *part, enum part which, bool crowded,
	       const struct part_points *points);
double part_at(const struct part_fit *part, const struct parts_at *at);

/* "120 ns x tasks (p-1)/p + 3 us"; "0". */
void part_text(const struct part_fit *part, char *out, size_t room);

/* SPDX-License-Identifier: MIT */
/*
 * by_kind.h - how the work of each kind grows with n: a curve for each, chosen as that of all work.
 *
 * Kinds with at least a hundredth of the work of the largest size are told, at most KINDS_TOLD of
 * them, the largest first.  Their sum is another model of all work: of a program with several
 * kinds each often follows a simpler law than all of them together.
 */
#pragma once

#include "tools/predict/curve.h"
#include "tools/predict/sample.h"

#define KINDS_TOLD 12u

struct kind_trend {
	const char *name; /* the samples' */
	double share;	  /* of the work at the largest size */
	struct curve curve;
	bool known; /* else no law tells it: too few sizes have any, or it comes and goes */
};

struct kind_trends {
	struct kind_trend kind[KINDS_TOLD];
	unsigned n;
	double sum_of; /* the share that they tell, if that is nearly all, and of several; else 0 */
};

struct kind_runs {
	const struct sample *sample; /* n_samples, by n, then p */
	unsigned n_samples, n_sizes;
	const double *size;    /* n_sizes, growing */
	const double *stretch; /* by sample: how much more work there is than on one worker */
	const double *tasks;   /* by size; NULL: runs differ in that */
	double tasks_error;    /* as law.h */
};

/* 0 or -ENOMEM. */
int kind_trends_fit(struct kind_trends *trends, const struct kind_runs *runs);

/* All work on one worker, as the sum of its kinds; 0: they do not tell it. */
double kind_trends_sum(const struct kind_trends *trends, double n, double tasks);

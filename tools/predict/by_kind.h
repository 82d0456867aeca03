/* SPDX-License-Identifier: MIT */
/*
 * by_kind.h - how the work of each kind grows with n: a law for each, chosen as that of all work.
 *
 * Kinds with at least a hundredth of the work of the largest size are told, at most KINDS_TOLD of
 * them, the largest first.  On more workers each stretches as all work does.  The laws are fitted
 * one by one, so that their sum and the law of all work differ: that is a measure of both.
 */
#pragma once

#include "tools/predict/trend.h"

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
};

/* Of a model that was fitted to these samples.  0 or -ENOMEM. */
int kind_trends_fit(struct kind_trends *trends, const struct trend *model);

/* Its work on p workers; 0 if it is not known. */
double kind_trend_at(const struct kind_trend *kind, const struct trend *model, double n, double p);

/* SPDX-License-Identifier: MIT */
/*
 * predict.h - a model of several runs, how well it did on the largest of them, and what it says.
 *
 * A third of the sizes, the largest, are held out; what the smaller ones then say of them is the
 * test of both the model and the direct regression, and the source of the interval: e, the rms of
 * the logarithm of told / measured, at a distance d, the mean of the logarithm of their work over
 * the largest work that was not held out.  A prediction at a distance D is uncertain by
 * e max(1, D / d), where e is at least what is left over the larger half of the sizes; the
 * interval has a multiple of that to each side, Student's t for 90 % and as many sizes as were held
 * out, around all that the curves and parts say that are nearly as good as the best.
 *
 * How far it goes: as far as the traces reach again, in work: R times the work of the largest, R
 * being the work of the largest over that of the smallest; up to R^2 times while e D / d is below
 * PREDICT_ERROR_SMALL; and no more than 1000 times, but for those who insist.  In p: to
 * PREDICT_P_TIMES the most workers traced, if traces of two p are there; else none but that p.
 */
#pragma once

#include <stdio.h>
#include "tools/predict/trend.h"
#include "tools/predict/sample.h"
#include "tools/predict/squares.h"

enum direct_form { DIRECT_SUM, DIRECT_POWER, DIRECT_GROWTH, DIRECT_FORMS };

struct direct {
	enum direct_form form;
	struct squares_fit sum;
	double a, b, c;
};

/* "T = 3 ns n^2 / p + 5 ns n" */
void direct_text(const struct direct *direct, char *out, size_t room);

#define PREDICT_SIZES_LEAST 4u
#define PREDICT_RATIO_MOST 1000.
#define PREDICT_ERROR_SMALL .1
#define PREDICT_P_TIMES 32u

struct predict_check { /* of one run */
	const struct sample *sample;
	double told_ns, direct_ns;
};

struct predict {
	const struct sample *sample; /* n_samples, by n, p; borrowed */
	unsigned n_samples;
	struct trend model;
	struct direct direct;
	bool has_direct;
	struct predict_check *held; /* n_held: told by the smaller sizes */
	unsigned n_held, n_held_sizes;
	double error, direct_error, distance; /* e and d above; direct_error: of the regression */
	double residual;		      /* rms of log(told / measured) over all runs; .. */
	double half_residual; /* .. of the larger half of the sizes, which curves are fitted to */
	double larger_half;   /* the least n of that half */
	double ratio;	      /* R */
	bool beyond;	      /* whoever asks insists on any n above */
};

struct prediction {
	struct told told;
	double low_ns, high_ns;
	double direct_ns;  /* 0: none */
	double bound_ns;   /* max(T1 / p, span): no schedule is shorter */
	double greedy_ns;  /* T1 / p + span: no greedy schedule without costs is longer */
	double work_ratio; /* of the work on one worker to the largest traced */
	bool tasks_are_known, tasks_are_exact;
};

/*
 * Of several runs of one n and p keeps that of the least elapsed time, and frees the others; brings
 * them in order.  What disturbs a run only adds to it: the kept one gets the least work and the
 * least span of all.  0, or -EINVAL and *err: runs contradict one another.
 */
int predict_choose(struct sample *sample, unsigned *n_samples, struct err *err);

/*
 * Samples of one program, in order, one of each n and p.  0, or -errno and *err: too few sizes,
 * nothing recorded, or no memory.
 */
int predict_fit(struct predict *predict, const struct sample *sample, unsigned n_samples,
		struct err *err);
void predict_free(struct predict *predict); /* a zeroed one is fine */

/* 0, or -ERANGE and *err: too far from the traces. */
int predict_at(const struct predict *predict, double n, double p, struct prediction *prediction,
	       struct err *err);

struct predict_output {
	const struct predict *predict;
	const struct prediction *prediction; /* n */
	unsigned n, n_traces;		     /* that were read */
	const char *program, *runtime;	     /* NULL: not known */
	int width; /* of the screen: no line is longer, if it can be helped */
};

void predict_screen(FILE *out, const struct predict_output *of);
void predict_json(FILE *out, const struct predict_output *of);

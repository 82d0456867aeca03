/* SPDX-License-Identifier: MIT */
/*
 * trend.h - the time of a program as a function of its problem's size n and the workers p.
 *
 *	elapsed(n, p) = (work + delay + no-work-sched + no-work-app) / p, as in each trace
 *
 * Work and span on one worker, tasks and waits are curves over n (curve.h).  Where kinds tell all
 * work, too, it is the geometric mean of that and of its own curve.  What workers cost
 * is in parts.h.  no-work-app comes from the shape of the largest run, stretched to the work and
 * span at (n, p) (sample.h), and not from a polynomial in p.
 *
 * One thread.  Times are ns.
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/predict/parts.h"
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

#define TREND_SIZES_LEAST 3u

enum trend_curve { CURVE_TASKS, CURVE_WAITS, CURVE_WORK, CURVE_SPAN, CURVES };
extern const char *const trend_curve_name[CURVES];

struct trend {
	const struct sample *sample; /* n_samples, by n, then p; borrowed */
	unsigned n_samples, n_sizes, n_widths;
	uint32_t p_least, p_most;
	double *size;		/* n_sizes, growing */
	double *figure[CURVES]; /* n_sizes each: medians, of one worker */
	struct curve curve[CURVES];
	double most_per_ns[CURVES]; /* tasks and waits of the larger sizes, by their work */
	bool tasks_same;	    /* all runs of each n made equally many, and some */
	struct kind_trends kinds;
	struct part_fit part[PARTS], crowded[PARTS]; /* crowded: as parts.h */
	const struct sample *shape;
	enum widths_way way;
	bool way_known; /* held out: it told the larger runs better than the other */
};

struct told {
	double n, p;
	double elapsed_ns, work_ns, delay_ns, sched_ns, app_ns, span_ns, tasks, waits;
};

/*
 * Samples are in order, of one program, and of TREND_SIZES_LEAST different n or more.  0, or -errno
 * and *err: out of memory, or no curve tells a figure.
 */
int trend_fit(struct trend *model, const struct sample *sample, unsigned n_samples,
	      struct err *err);
void trend_free(struct trend *model); /* a zeroed one is fine */

/* low, high: with the least and the most that all curves and parts say that are nearly as good;
 * NULL. */
struct told trend_at(const struct trend *model, double n, double p, struct told *low,
		     struct told *high);

/* Work of one of its kinds on p workers, which stretches as all work does; 0 if it is not known. */
double trend_kind_at(const struct trend *model, const struct kind_trend *kind, double n, double p);

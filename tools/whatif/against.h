/* SPDX-License-Identifier: MIT */
/*
 * against.h - a prediction beside an experiment: runs as they are, and runs that `tptrace record
 * --slow` slowed.
 *
 * What slowing costs is measured as the slowed runs' elapsed time over that of the plain ones; and
 * predicted by a simulation of the plain run whose kinds take as much longer as they did in the
 * slowed runs, where the recorder noted it.  What is compared are these two ratios.
 */
#pragma once

#include <stdio.h>
#include "tools/diff/interval.h"
#include "tools/model/change.h"
#include "tools/model/forecast.h"
#include "tools/model/policy.h"
#include "tools/run/run.h"
#include "tools/run/slowed.h"
#include "collector/trace/err.h"

#define AGAINST_LEAST 3u /* runs of each side, or nothing is decided */

/* Runs that should be alike. */
struct against_side {
	char **path;	      /* n */
	uint64_t *elapsed_ns; /* n, in the order of the paths */
	uint32_t n, n_workers;
	uint32_t middle; /* has the median elapsed time, the lower one of two */
	struct interval interval;
	double cpu_wait; /* share of elapsed x workers that workers waited for a CPU */
	struct slowed_kind kind[SLOWED_MOST];
	uint64_t work_ns[SLOWED_MOST], slowed_ns[SLOWED_MOST]; /* of all runs, by kind[] */
	uint32_t n_kinds;
	char *slowed, *program;
};

enum against_verdict {
	AGAINST_AGREES,
	AGAINST_DISAGREES,
	AGAINST_FEW,   /* too few runs */
	AGAINST_NOISY, /* what was measured holds both the prediction and no effect at all */
	AGAINST_NONE   /* nothing was slowed: no such task ran */
};
extern const char *const against_verdict_name[]; /* "agrees", .. as in JSON */

/* A ratio less 1, and between what it lies. */
struct against_effect {
	double low, middle, high;
};

struct against {
	const struct against_side *plain, *slowed;
	struct against_effect measured, predicted;
	double own_error; /* of the simulation: how far it is from the plain run that it simulates
			   */
	enum against_verdict verdict;
};

/* Reads the traces that are named, and those of directories: all slowed alike, if `slowed`, else
 * not at all.  To be freed, whatever is returned.  0, or -errno and *err; err->text is empty if
 * all is said on stderr. */
int against_open(struct against_side *side, char **argument, int n, bool slowed, struct err *err);
void against_free(struct against_side *side); /* a zeroed one is fine */

/* Whether the side slowed the kind of the run. */
bool against_has(const struct against_side *slowed, const struct run *run, kind_id kind);

/* So many times as fast as the kind was in the plain runs: less than 1, if it was slowed at all. */
double against_speed(const struct against_side *slowed, uint32_t kind);

/* Whether both sides are of one program on as many workers.  0, or -errno and *err. */
int against_check(const struct against_side *plain, const struct against_side *slowed,
		  struct err *err);

/* Adds what slowing did to the plain run, as changes of its simulation.  0, or -errno and *err: the
 * run has no such kind. */
int against_change(struct changes *changes, struct policy *policy, const struct run *run,
		   const struct against_side *slowed, struct err *err);

/* Predicts, measures and judges; `plain` and `slowed` are there.  The points are of the plain
 * side's middle run, simulated as it was and as if it had been slowed. */
void against_judge(struct against *against, const struct point *as_is, const struct point *changed);

void against_screen(FILE *out, const struct against *against);
void against_json(FILE *out, const struct against *against);

#define EXPERIMENTS_MOST 8u

struct experiments {
	struct against_side plain;
	struct against_side slowed[EXPERIMENTS_MOST];
	uint32_t n;
};

/* Reads plain runs, and of each experiment the traces that slowed[i] names: "FILE,..". *experiments
 * is yours to free, whatever is returned.  0, or -errno and *err; err->text is empty if all is said
 * on stderr. */
int experiments_open(struct experiments *experiments, char **plain, int n_plain,
		     const char *const *slowed, uint32_t n, struct err *err);
void experiments_free(struct experiments *experiments); /* zeroed ones are fine */

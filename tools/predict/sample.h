/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the figures of one recorded run that models are fitted to.
 *
 * All times are ns, of the whole window (tools/analysis/breakdown.h), and
 *
 *	work + delay + no-work-sched + no-work-app = elapsed * p, exactly
 *
 * tasks: those that the program created; without implicit tasks, of which each worker has one.
 * waits: of tasks for tasks, without barriers, of which each worker has its own.
 */
#pragma once

#include "tools/dag/dag.h"
#include "tools/analysis/potential.h"

#define WIDTHS_STEPS 1100u

struct widths {
	unsigned n;
	struct width {
		double k, ns;
	} * at; /* n, by k */
};

enum widths_way { WIDTHS_FACTOR, WIDTHS_POWER, WIDTHS_WAYS };
extern const char *const widths_way_name[WIDTHS_WAYS];

/* Of widths and lengths that somebody gives, by width. */
void widths_make(struct widths *widths, const struct width *at, unsigned n);
void widths_free(struct widths *widths); /* a zeroed one is fine */

double widths_work(const struct widths *widths);
double widths_span(const struct widths *widths);

/* T(p) of the shape, stretched to that work and span that way. */
double widths_elapsed(const struct widths *widths, enum widths_way way, double work_ns,
		      double span_ns, double p);

struct sample_kind {
	char *name; /* whoever knows it sets it, to be free()d */
	double work_ns, least_work_ns;
};

struct sample {
	const char *path; /* borrowed */
	double n;	  /* what the user says is the problem's size */
	uint32_t p;	  /* workers */
	double elapsed_ns, work_ns, delay_ns, sched_ns, app_ns, span_ns, tasks, waits;
	double least_work_ns, least_span_ns; /* of all runs of its n and p: predict_choose() */
	double cpu_wait_ns; /* that workers certainly waited for CPUs; whoever knows it sets it */
	double recorded_ns; /* elapsed time, with what sample_without_waits() took out */
	struct widths widths;
	struct sample_kind *kind; /* n_kinds: as the dag's; sample_merge_kinds() */
	unsigned n_kinds;
};

/* All figures but path, n, names of kinds and the wait for CPUs. */
void sample_of(struct sample *sample, const struct dag *dag);

/* Once kinds have names: those of one name are one; those without are gone. */
void sample_merge_kinds(struct sample *sample);

/*
 * Takes out the time that workers waited for a CPU, which is no property of the program: all times
 * become shorter in the ratio in which the workers' busy time does.  Exact on one worker; on
 * several, a first approximation.  cpu_wait_ns stays, of what was recorded.
 */
void sample_without_waits(struct sample *sample);
double sample_wait_share(const struct sample *sample); /* of elapsed * p, as recorded */

void sample_free(struct sample *sample); /* a zeroed one is fine */

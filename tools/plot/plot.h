/* SPDX-License-Identifier: MIT */
/*
 * plot.h - runs as pictures for papers, and the numbers that a picture shows, as csv.
 *
 * Times are ns.  `csv` may be NULL: then nobody wants the numbers.  0, or -errno and *err.
 */
#pragma once

#include <stdio.h>
#include "tools/analysis/long_waits.h"
#include "tools/analysis/states.h"
#include "tools/plot/picture.h"
#include "tools/summary/bytes.h"
#include "tools/summary/speedups.h"
#include "tools/summary/summary.h"

enum plot_what {
	PLOT_PROFILE,
	PLOT_TIMELINES,
	PLOT_HISTOGRAM,
	PLOT_STEALS,
	PLOT_OF_ONE, /* those above show one trace, or PLOT_TIMELINES a job; those below any number
		      */
	PLOT_BREAKDOWN = PLOT_OF_ONE,
	PLOT_STATES,
	PLOT_LOSSES,
	PLOT_SPEEDUP,
	PLOTS
};
#define PLOT_WORDS "profile|timelines|histogram|steals|breakdown|states|losses|speedup"
extern const char *const plot_what_name[PLOTS];

/* What pictures of several traces need of each. */
struct plot_trace {
	char *name;
	uint32_t workers;
	uint64_t elapsed_ns;
	uint64_t span_ns, serial_ns; /* least.h */
	struct charge total, state[STATES];
	uint64_t begin_ns;	  /* of a rank, on the job's clock; else 0 */
	struct course_cell *cell; /* n_cells of its window: all, or none */
	uint32_t n_cells;
	/* speed-ups on p workers are between these: bounds.h.  n_points of each, from p = 1 on */
	double *lower, *upper;
	uint32_t n_points;
	bool burden_known;
	bool simulated; /* `tptrace simulate -o` wrote it */
};

struct plot_traces {
	struct plot_trace *trace;
	uint32_t n;
	struct speedups curves; /* simulated: of the run on the fewest workers; predicted: of the
				 size of all of them */
	struct long_waits waits; /* of a job's ranks, as numbers of their traces */
};

/* `bounds`: with what only PLOT_SPEEDUP needs, for so many workers at least; 0: without.  `course`:
 * with what only ranks_picture() needs. */
void plot_traces_add(struct plot_traces *traces, const struct summary *summary, const char *name,
		     uint32_t bounds, bool course);
void plot_traces_drop(struct plot_traces *traces, uint32_t t);
/* The shortest trace on the fewest workers, of those measured; NULL: all are simulated. */
const struct plot_trace *plot_traces_lead(const struct plot_traces *traces);
/* All traces as bytes, for another process of ours, which adds them to those that it has.  What is
 * not whole is an error, too. */
void plot_traces_pass(struct plot_traces *traces, struct bytes *bytes);
void plot_traces_free(struct plot_traces *traces); /* a zeroed one is fine */

/* What leads from row to row in the timelines; a leap is drawn as a steal where no leaps are
 * wanted. */
enum arc_what { ARC_STEALS, ARC_LEAPS, ARC_MIGRATIONS, ARC_CREATES, ARC_JOINS, ARC_DEPENDS, ARCS };
extern const char *const arc_name[ARCS]; /* "steals", .. */
#define ARCS_MOST 20000u		 /* more cannot be told apart */

/*
 * Adds the marks to a picture that has a width and a font.  If it has no height, it gets one that
 * fits.  arcs: bits of enum arc_what, of PLOT_TIMELINES.
 */
int plot_one(struct picture *picture, FILE *csv, enum plot_what what, const struct summary *summary,
	     unsigned arcs, struct err *err);
/* Of at least one trace; PLOT_LOSSES: the first is the baseline, and there are two at least. */
void plot_several(struct picture *picture, FILE *csv, enum plot_what what,
		  const struct plot_traces *traces);

/* Each kind of picture. */
void profile_picture(struct picture *picture, FILE *csv, const struct summary *summary);
/* arcs: bits of enum arc_what.  *err says more if there are too many. */
int timelines_picture(struct picture *picture, FILE *csv, const struct summary *summary,
		      unsigned arcs, struct err *err);
void histogram_picture(struct picture *picture, FILE *csv, const struct summary *summary);
void steals_picture(struct picture *picture, FILE *csv, const struct summary *summary);

/* The bars are components, or states. */
void bars_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces,
		  bool states);
/* A row for each trace: shares of its workers' states as time goes by; and who waited for whom. */
void ranks_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);
void losses_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);
void speedup_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);

/* So high, unless somebody said how high. */
static inline void picture_be_high(struct picture *picture, double points)
{
	if (picture->height == 0)
		picture->height = points;
}

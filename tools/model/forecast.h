/* SPDX-License-Identifier: MIT */
/*
 * forecast.h - a recorded run, and what it would be with changes, on several numbers of workers.
 *
 * A row is a run under one set of changes; the first row is the run as it was recorded.  Rows are
 * made one after the other, so that one graph is in memory at a time.  Times are ns.
 */
#pragma once

#include <stdio.h>
#include "tools/model/simulate.h"

/* A graph simulated on a number of workers several times, each by another seed. */
struct point {
	uint32_t n_workers;
	struct outcome outcome; /* of the run with the median elapsed time, the lower one of two */
	uint64_t low_ns, high_ns; /* least and most elapsed time of all runs */
};

struct points_wanted {
	const uint32_t *workers; /* n */
	uint32_t n, n_runs;	 /* of each */
	uint64_t seed;
	uint32_t n_threads; /* 0: as many as there are CPUs */
	/* Zeroed: gets that of the first number's middle run, to be freed; NULL. */
	struct schedule *schedule;
};

struct forecast_row {
	char *what;	     /* the changes as they were asked for; "as recorded" */
	struct point *point; /* n_points */
	uint64_t work_ns, span_ns;
	uint64_t serial_ns;  /* least.h */
	uint64_t n_changed;  /* strands and tasks that are other than recorded */
	bool steals_changed; /* a change says what a steal costs */
	struct policy policy;
};

struct forecast {
	const struct dag *dag;
	const char *program, *runtime, *version; /* borrowed; NULL if not known */
	uint32_t *workers;			 /* n_points */
	uint32_t n_points, n_runs;
	struct forecast_row *row; /* n_rows */
	uint32_t n_rows;
	uint64_t row_room;
	const char *unlinked;		      /* defs_unlinked(); NULL; borrowed */
	const struct policy *recorded_policy; /* that of the recorded runtime */
	bool fitted;			      /* times are drawn, not as recorded */
	struct fits fits;		      /* fitted: of the first row, without its graph */
	char **kind_name;		      /* fitted: by kind */
	struct scaling *scaling;	      /* of several traces; NULL; borrowed */
	bool own_policy;		      /* the first row has the recorded runtime's */
	uint64_t cpu_wait_ns;	    /* that workers waited for a CPU; 0 if it is not known */
	uint64_t n_parted, n_whole; /* collapsed tasks; of these, those that run as one strand */
	uint64_t n_locks;	    /* objects whose order is left to the simulation */
	bool stands_in[LEADS];	    /* leads.h; of the first row */
	bool no_steal;		    /* nothing was stolen although it could have been */
	uint32_t n_never;	    /* workers that never ran anything */
};

/* What is simulated. */
struct model {
	struct graph graph;
	struct leads leads;
	struct searches searches;
	struct fits fits; /* forecast->fitted */
};

/* That of a run of the forecast's dag under these changes; to be freed, whatever is returned.
 * 0, or -errno and *err. */
void model_build(struct model *model, const struct forecast *forecast,
		 const struct changes *changes);
void model_free(struct model *model); /* a zeroed one is fine */

/*
 * Whether collapsed tasks run whole on so many workers, under the recorded runtime's policy.  They
 * ran whole beside the others of the recorded run, which had all the chance to steal from them: on
 * as many workers, or fewer, they do so again, unless a change says what a steal costs.  On more
 * they are parted, unless somebody asks.
 */
bool forecast_keeps_whole(const struct forecast *forecast, const struct forecast_row *row,
			  uint32_t workers);

/* Adds a row.  0, or -errno and *err. */
int forecast_add(struct forecast *forecast, const char *what, const struct changes *changes,
		 const struct policy *policy, const struct points_wanted *wanted, struct err *err);
static inline uint64_t forecast_elapsed(const struct forecast *forecast, uint32_t row, uint32_t i)
{
	return forecast->row[row].point[i].outcome.elapsed_ns;
}
/* No run of the row's tasks on so many workers is shorter. */
uint64_t forecast_bound(const struct forecast_row *row, uint32_t n_workers);
void forecast_free(struct forecast *forecast); /* a zeroed one is fine */

/* On one screen, with the columns of the points that fit into its width; as one line of JSON. */
void forecast_screen(FILE *out, const struct forecast *forecast, unsigned width);
void forecast_json(FILE *out, const struct forecast *forecast);

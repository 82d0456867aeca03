/* SPDX-License-Identifier: MIT */
/*
 * run.h - a recorded run, opened for whatever a command does with it: its graph, its names, and
 * which part of it is wanted.
 *
 * One thread.  Strings that come from it end with run_close().
 */
#pragma once

#include "tools/trace/reader.h"
#include "tools/analysis/machine.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/select.h"
#include "tools/dag/dag.h"
#include "tools/run/sites.h"

struct run {
	struct reader *reader;
	struct dag dag;	    /* it has strands; a kind for each code */
	struct dag by_site; /* a kind for each site, if that are more; else without kinds */
	struct sites sites; /* their names */
	struct phases phases;
	struct select select; /* what is wanted of the window */
	/* of its collapsed tasks, those whose kind, or site, is a guess */
	uint64_t n_guessed, n_guessed_by_site;
	struct machine machine;
};

/*
 * 0, or -errno and *err: where the trace is invalid or has no task, or nothing of it is wanted.
 * *run is yours to run_close(), unless it failed.  `wanted` must outlive it; NULL: the whole run.
 */
int run_open(struct run *run, const char *path, const struct phases_wanted *wanted,
	     struct err *err);
/* What run_open() does last, where the rest was opened otherwise. */
int run_select(struct run *run, const struct phases_wanted *wanted, struct err *err);
void run_close(struct run *run); /* a zeroed one is fine */

/* When its window began, on the clock of its host. */
uint64_t run_began_ns(const struct run *run);

/* When its process began; the trace, where nobody saw that. */
uint64_t run_born_ns(const struct run *run);

/* All of the window is selected, be it in phases. */
bool run_is_whole(const struct run *run);

/* The selection; NULL if that is all of the window, in one: the analyses are faster without. */
const struct select *run_selected(const struct run *run);

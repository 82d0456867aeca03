/* SPDX-License-Identifier: MIT */
/*
 * sides.h - the runs that `tptrace diff` was given, by side.
 *
 * An argument is a side: a trace, a directory of traces, or several of them with commas between.
 * A lone comma stands between sides that are several arguments each.  The traces of a side are one
 * run if they are of one job (jobs.h), else several.
 */
#pragma once

#include "tools/analysis/phases.h"
#include "tools/cmd/command.h"
#include "tools/team/team.h"
#include "tools/diff/why.h"
#include "tools/diff/side.h"
#include "tools/team/runs.h"

#define SIDES_BETWEEN "," /* the argument between sides */

struct sides {
	struct side *side;
	uint32_t n;
	uint64_t room;
	uint32_t n_bad; /* traces that are left out: that was said on stderr */
};

struct sides_wanted {
	struct phases_wanted phases;
	bool reports; /* of each run as JSON */
	bool lineage;
};

/*
 * Reads all runs, those of a side of several traces with the team.  A single argument with runs on
 * several numbers of workers is as many sides, the fewest workers first.  A side of several traces
 * does without those that are invalid.  0, or -errno and *err; err->text is empty if all is said on
 * stderr.
 */
int sides_open(struct sides *sides, char **argument, int n, const struct sides_wanted *wanted,
	       struct team *team, struct err *err);
/*
 * Works on what the call names, with children and ranks of mpirun that share it.  `both`: it asks
 * for JSON and CSV, which exclude each other.  The exit status.
 */
typedef int sides_work(void *request, char **argument, int n, struct team *team);
int sides_share(const struct call *call, struct sides_wanted *wanted, uint32_t n_at_once,
		bool both, sides_work *work, void *request);
/* Behind what was printed of them: says on stderr how many are left out.  Whether it arrived, and
 * is of all of them, undamaged. */
bool sides_finish(const struct sides *sides, const struct sides *baseline);
/* How it is shown, unless it is asked for otherwise. */
struct diff_shown sides_shown(void);
void sides_free(struct sides *sides); /* a zeroed one is fine */

/* What a side was given; its jobs are its runs. */
struct given {
	struct inputs inputs;
	uint32_t n_jobs;
};

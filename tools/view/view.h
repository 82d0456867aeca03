/* SPDX-License-Identifier: MIT */
/*
 * view.h - a run as one HTML page that needs nothing else: tools/view/README.md.
 *
 * The page holds the report's JSON, names (meta.h), columns (columns.h) and
 * levels (bins.h); the rest is page.h's.  Of several runs it holds all that for each.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "collector/trace/err.h"
#include "tools/summary/summary.h"

#define VIEW_STRANDS 1000000u /* so many in full at most, .. */
#define VIEW_BYTES 15000000u  /* .. and a page of so many bytes: one that can be mailed */
#define VIEW_SERVED 200000u   /* .. where a server answers for the rest: opens at once */
#define VIEW_WINDOW 300000u   /* so many at most in an answer, besides */

#define VIEW_SIDES_MOST 3 /* traces; more do not fit one below the other */

struct view_wanted {
	uint64_t most;	    /* strands in full, of each run */
	uint64_t bytes;	    /* of the page: so many fewer strands that it fits, if they may
			     * have a quarter of it; 0: any */
	const char *source; /* folder of source files; NULL: where the trace says */
	bool is_served;	    /* the page asks where it was read for view_put_window() */
	/* JSON of `report --json`, and its member `bounds` behind a comma. */
	void (*put_report)(FILE *out, const struct summary *summary);
	void (*put_bounds)(FILE *out, const struct summary *summary);
	/* The top of the report's screen, a fact or a note a line. */
	void (*put_facts)(FILE *out, const struct summary *summary);
	void (*put_notes)(FILE *out, const struct summary *summary);
	/* Those of the notes that say how it ended and what was lost. */
	void (*put_fates)(FILE *out, const struct summary *summary);
};

/* A run on the page. */
struct view_side {
	const char *label;
	const struct summary *summary;
	const char *diff;	   /* diff_json() of the first and this one; NULL for the first */
	const struct tried *tried; /* cures of the first one's findings, simulated; NULL */
};

/* Runs that are ready to be written; `side` is borrowed until view_close(). */
struct view;
/* *view is yours to view_close(). */
void view_open(struct view **view, const struct view_side *side, uint32_t n,
	       const struct view_wanted *wanted);
void view_close(struct view *view); /* NULL is fine */

/* Writes the page; it opens with the first run. */
void view_put(FILE *out, const struct view *view);

/* One of the processes of a job, as job_page.h wants it: its rows. */
void view_put_rows(FILE *about, FILE *states, const struct summary *summary,
		   const struct view_wanted *wanted, uint32_t n_processes);
/* And its page, of the only run. */
void view_put_blocks(FILE *out, const struct view *view);

/*
 * Writes columns as the page has them, with all strands of run `side` in [from_ns, to_ns) and some
 * time around it, and as "meta" which time that is; null, and no columns, if they are more than
 * VIEW_WINDOW.  0; -ERANGE if there is no such run or time, or it leaves nothing out.
 */
int view_put_window(FILE *out, const struct view *view, uint32_t side, uint64_t from_ns,
		    uint64_t to_ns);

/* SPDX-License-Identifier: MIT */
/*
 * outcome.h - what is kept of one run, to be compared with others: its figures, and what each of
 * its kinds, places, paths, findings, locks and waits has of them.
 *
 * A run is a process, or all processes of one job: their figures are added up, but for elapsed time
 * and span, of which the longest counts.  It owns its strings: nothing of the trace is needed once
 * it was added.  Times are ns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/report/summary.h"

enum figure {
	FIGURE_ELAPSED,
	FIGURE_CUMULATIVE, /* elapsed x P */
	FIGURE_WORK,	   /* the four components, which add up to it */
	FIGURE_DELAY,
	FIGURE_SCHED,
	FIGURE_APP,
	FIGURE_SPAN,
	FIGURE_PATH_WORK,
	FIGURE_PATH_SCHED,
	FIGURE_PATH_BUSY,
	FIGURE_TRACER,
	FIGURE_CPU,	 /* time of the workers on CPUs, */
	FIGURE_CPU_WAIT, /* and in wait of one; 0 if that is not known */
	FIGURE_TASKS,
	FIGURE_STRANDS,
	FIGURE_STEALS,
	FIGURE_MIGRATIONS,
	FIGURE_EVENTS_LOST,
	FIGURE_EDGES,				   /* delay, by edge */
	FIGURE_STATES = FIGURE_EDGES + EDGE_KINDS, /* by state, the four components of each */
	FIGURES = FIGURE_STATES + 4 * STATES
};
/* "elapsed_ns", .. as in the JSON report; those up to FIGURE_EDGES. */
extern const char *const figure_key[FIGURE_EDGES];

enum list { LIST_KINDS, LIST_PLACES, LIST_PATHS, LIST_FINDINGS, LIST_LOCKS, LIST_WAITS, LISTS };

enum value {
	VALUE_WORK, /* the four components */
	VALUE_DELAY,
	VALUE_SCHED,
	VALUE_APP,
	VALUE_TASKS,
	VALUE_LOST,  /* by a finding */
	VALUE_TIMES, /* waits for a lock, or at a place for tasks, .. */
	VALUE_WAIT,  /* and how long they took */
	VALUES
};
extern const char *const value_key[VALUES]; /* "work_ns", .. */

extern const char *const list_name[LISTS]; /* "kind", .. */

/* Which of them the items of a list have: from .. to - 1. */
struct value_range {
	int from, to;
};
extern const struct value_range list_values[LISTS];

/* A kind, a place that creates tasks, a creation path, a finding, or who is waited for. */
struct item {
	const char *id;	   /* of a finding; what is waited for; else "" */
	const char *name;  /* of the code */
	const char *where; /* the file's name, else the module's, without directories; else "" */
	bool has_line;	   /* `where` is a file */
	uint32_t line;
	uint64_t value[VALUES];
};

struct items {
	struct item *item;
	uint32_t n;
	uint64_t room;
};

struct outcome {
	char *path;	/* of the first process's trace */
	char *command;	/* as it was called; "" */
	char *program;	/* its file's name; "" */
	char *runtimes; /* "libgomp 12, libomp 14" */
	uint64_t n_workers;
	uint32_t n_processes;
	uint64_t figure[FIGURES];
	struct items list[LISTS];
	uint32_t *item_of_kind; /* of the last process: by its kinds, in LIST_KINDS */
};

/* Adds a process to the run, which is zeroed at first.  0 or -ENOMEM. */
int outcome_add(struct outcome *outcome, const struct summary *summary);
void outcome_free(struct outcome *outcome); /* a zeroed one is fine */

/* The four components of an item, added up. */
uint64_t item_sum(const struct item *item);
/* Their order: by id, name, where and line; 0 if they are the same. */
int item_compare(const struct item *a, const struct item *b);

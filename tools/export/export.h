/* SPDX-License-Identifier: MIT */
/*
 * export.h - a run as the formats get it: what of it is wanted, with its names and facts.
 *
 * A cut leaves out whole tasks and whole strands: a strand that lies partly in the selected time is
 * exported with its own times.  An edge or a flow is exported if both of its ends are.  Sums by
 * kind, wait, lock and finding are those of the report: of the selected time, but of all workers,
 * kinds and tasks.
 *
 * Built once, read-only from then on.  One thread.  Times are ns since the window began.
 */
#pragma once

#include "tools/summary/summary.h"

struct progress;

/* What is wanted, besides a part of the time, which the run has selected. */
struct export_cut {
	const char *workers; /* "0,2-5"; NULL: all */
	const char *kind;    /* the name of a kind's code; NULL: all */
	uint32_t top;	     /* so many tasks with the most work; 0: all */
	uint32_t n_nodes;    /* of a graph, at most; 0: all */
	int folded;	     /* enum folded */
};

#define EXPORT_UNKNOWN UINT64_MAX

struct export_task {
	uint64_t created_ns; /* EXPORT_UNKNOWN: nobody saw it, or it is a root */
	uint64_t begin_ns;   /* EXPORT_UNKNOWN: it never began */
	uint64_t end_ns;     /* of its last strand */
	uint64_t work_ns;    /* with that of collapsed tasks below it */
	uint64_t own_ns;     /* without */
	uint64_t n_collapsed;
	strand_id first, last;
	uint32_t n_strands;
	uint32_t child_number; /* among those of its creator, from 1 */
	task_id creator;       /* TASK_NONE: a root, or nobody saw it */
	bool kept;
};

/* export->flags[], by strand */
#define EXPORT_KEPT 1u
#define EXPORT_PAUSES 2u  /* its slice stays open after it (slices.h) */
#define EXPORT_GOES_ON 4u /* its slice was open before it */

struct export_fact {
	const char *key;
	char *value; /* UTF-8 */
};

struct export
{
	const struct run *run;
	const struct dag *dag;
	const struct summary *summary;
	struct export_cut cut;
	struct progress *progress;
	struct ready_path path;
	struct export_task *task; /* n_tasks of the dag */
	uint64_t *id;		  /* by task: the trace's, 0 if it has none */
	uint8_t *flags;		  /* by strand */
	bool *worker;		  /* by slot: wanted, and seen */
	char **name;		  /* by kind: "sort_range sortlines.c:75", UTF-8 */
	struct export_fact *fact;
	uint32_t n_facts;
	uint64_t facts_room;
	uint64_t n_tasks, n_strands, n_collapsed; /* exported */
	uint64_t tasks_out, strands_out;	  /* left out by the cut */
};

/* Of a summary of a run.  0, or -errno and *err; then *export is empty. */
int export_open(struct export *export, const struct summary *summary, const struct export_cut *cut,
		struct err *err);
void export_close(struct export *export); /* a zeroed one is fine */

static inline bool export_has(const struct export *export, strand_id s)
{
	return export->flags[s] & EXPORT_KEPT;
}

/* The exported strand that created the task that begins with that one; STRAND_NONE. */
static inline strand_id export_creator(const struct export *export, strand_id s)
{
	strand_id pred = export->dag->strand[s].pred;

	return export->dag->how[s] & STRAND_FIRST && pred != STRAND_NONE && export_has(export, pred)
		       ? pred
		       : STRAND_NONE;
}

/* The tasks that are collapsed below that strand. */
static inline uint64_t export_collapsed(const struct export *export, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(export->dag, s);

	return collapsed ? collapsed->n_tasks : 0;
}

#define EXPORT_NAME 600
/* The name of the strand's task, which says how many are collapsed below it.  Returns out. */
const char *export_name(const struct export *export, strand_id s, char out[EXPORT_NAME]);

#define EXPORT_ID 48
/* "0.17", as `dump` prints it; "?5" for the sixth task of the dag if the trace has no id for it. */
const char *export_id(const struct export *export, task_id task, char out[EXPORT_ID]);

/* What ended the strand, in a word: "create", "children", "lock", .. */
const char *export_ended_by(const struct export *export, strand_id s);

/* The kind of move by which the strand came to its worker. */
enum move export_move(const struct export *export, strand_id s);

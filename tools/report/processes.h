/* SPDX-License-Identifier: MIT */
/*
 * processes.h - a job of many processes: what is kept of each one's summary, and their sums.
 *
 * What is kept of one process is made when its summary is built, and needs nothing of the summary
 * any more; it may come from another process of ours, as bytes.  Kinds of the same name, file, line
 * and module in several processes are one, and so are phases of one name.  Times are ns.
 */
#pragma once

#include <stdio.h>
#include "tools/base/spool.h"
#include "tools/report/local.h"
#include "tools/summary/bytes.h"
#include "tools/summary/summary.h"
#include "tools/run/identity.h"
#include "tools/analysis/rank_calls.h"

struct rank {
	struct rank_calls calls;
	struct place *place; /* n_places; its own, with their strings */
	uint64_t *work_ns;   /* n_places: of the tasks of a kind */
	uint32_t n_places;
	bool is_spooled; /* the calls, which belong to a spool */
};

/* Of one process, or of all. */
struct process_sums {
	struct charge total, state[STATES];
	uint64_t span_ns; /* of all: the longest */
	struct machine_on_cpu on_cpu;
	uint64_t cumulative_ns, elapsed_ns, n_workers, n_tasks, n_strands, n_lost, tracer_ns;
	uint64_t outside_ns; /* of the process, before its window and after; not of a part of it */
	uint64_t n_moves[MOVES];
	uint64_t delay_by_edge_ns[EDGE_KINDS];
};

/* What its tasks take of their time on another number of workers, but for calls of MPI. */
struct rank_width {
	uint64_t workers;
	double factor;
};

struct process {
	struct identity id; /* strings are owned */
	char *path;
	struct process_sums sums;
	struct rank rank;
	struct rank_width *width; /* n_widths; none if nobody asked for them */
	uint32_t n_widths;
	bool ended; /* its trace was closed, or made from text */
	bool live;  /* still being written */
};

struct merged_kind {
	struct place place; /* with strings of its own */
	uint32_t n_processes;
	struct charge charge;
	uint64_t n_tasks, min_ns, max_ns;
	uint32_t next;	 /* with the same hash; UINT32_MAX */
	uint32_t newest; /* process that it was met in */
};

/* A phase of that name in all processes that have it. */
struct merged_phase {
	char *name;
	uint32_t n_processes, most; /* process with the most work in it */
	uint64_t work_ns, most_ns;
};

struct processes {
	struct process *process; /* in the order of adding */
	uint32_t n, n_hosts, n_ranks;
	uint32_t n_jobs; /* if more than one, sums mean nothing */
	uint64_t room;
	struct process_sums sums;
	uint32_t most_work, longest; /* indexes */
	struct merged_kind *kind;    /* the most costly first, after processes_sort() */
	uint32_t n_kinds;
	uint64_t kind_room;
	struct merged_phase *phase; /* in the order that they came in */
	uint32_t n_phases;
	uint64_t phase_room;
	struct local local; /* what each found by itself */
	struct map by_hash; /* of a kind -> index + 1 */
	struct map worlds;  /* identity_nth_world() */
	struct spool spool; /* of the ranks' calls */
};

void process_sums_add(struct process_sums *all, const struct process_sums *more);

/* *one is yours to processes_free(). */
void processes_one(struct processes *one, const struct reader *reader,
		   const struct summary *summary);
/* Takes over the process's rank. */
void processes_add(struct processes *all, struct processes *one);
void processes_sort(struct processes *all); /* the kinds; nothing is added after it */
/* How many ranks the job has that no process is of, and the first of them. */
uint64_t processes_missing(const struct processes *all, uint64_t *first);
void processes_free(struct processes *all); /* a zeroed one is fine */

/*
 * One as bytes, for another process of the same program; or read from them, borrowing from the
 * spool, which keeps the calls of all ranks.  What is not whole ends the command.
 */
void processes_pass(struct processes *one, struct bytes *bytes, struct spool *spool);

/* The largest over the mean; 1 is even, 0 if there is nothing. */
double processes_work_imbalance(const struct processes *all);
double processes_elapsed_imbalance(const struct processes *all);

/* SPDX-License-Identifier: MIT */
/*
 * machine.h - what the machine gave to the workers: CPUs, time on them, and time in wait of one.
 *
 * The trace has samples of two sums of each worker: CPU time, and time that it could have run and
 * had no CPU (collector/trace/FORMAT.md, section 11).  Neither sum grows faster than time does,
 * nor do both together; samples that say so lag, and are corrected.  Between two samples a sum is
 * taken to grow evenly; what is certain is told as least and most.
 *
 * The kernel adds a wait to its sum when it ends.  Until a thread is seen to go on, one that goes
 * neither on nor to sleep looks as if it slept: that is not known then, and counts as neither.
 *
 * A strand's length, and so work, is time by the clock.  The part of it without a CPU is time in
 * which its worker waited for one, or slept: in a lock that the recorder does not know, in a
 * system call, in a page fault.
 *
 * Built once, read-only from then on.  Times are ns since the window began.
 */
#pragma once

#include <stdbool.h>
#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

struct machine_sample {
	int64_t ns; /* negative before the window began */
	uint64_t run_ns, wait_ns;
	bool has_wait;
	bool is_counted; /* by machine_settle(): a later sample has what it waited for just then */
};

/* The samples of a worker, in order of time. */
struct machine_lane {
	struct machine_sample *sample;
	uint64_t n, room;
};

struct machine {
	const char *source;   /* "schedstat", "stat", "clock", "unknown"; NULL: not said */
	uint64_t cpus, cores; /* that the process could use; that are online.  0: not known */
	uint64_t affinity;    /* CPUs of the process's mask; 0: not known */
	uint64_t bound;	      /* CPUs that the masks of all workers have together; 0: not known */
	bool is_rank;	      /* a launcher started it as one of several */
	uint64_t quota_milli; /* of its cgroups, in thousandths of a CPU; 0: none, or not known */
	uint64_t lag_ns;      /* by which a sample may be behind */
	struct machine_lane *lane; /* n_lanes, by worker */
	uint64_t lane_room;
	uint32_t n_lanes;
	struct machine_lane process; /* of all its threads but the recorder's; run_ns alone */
};

/* What is said of them, as the trace has it. */
void machine_add(struct machine *machine, uint32_t worker, struct machine_sample sample);
/* Of the whole process. */
void machine_add_process(struct machine *machine, struct machine_sample sample);
/* Puts samples in order, and corrects them.  Once, after the last. */
void machine_settle(struct machine *machine);
void machine_free(struct machine *machine); /* a zeroed one is fine */

/* Of a stretch of time of a worker. */
struct machine_use {
	uint64_t ns;	   /* its length */
	uint64_t known_ns; /* of that, between samples */
	uint64_t run_ns, run_least_ns, run_most_ns;
	uint64_t wait_ns, wait_least_ns, wait_most_ns; /* for a CPU; wait_ns is 0 if not known */
	uint64_t away_ns;			       /* neither, where both are counted */
	bool has_wait;				       /* somewhere */
};

struct machine_use machine_use(const struct machine *machine, uint32_t worker, uint64_t from_ns,
			       uint64_t to_ns);

/* What a worker mostly did in a stretch of time. */
enum machine_doing {
	MACHINE_UNKNOWN,
	MACHINE_COMPUTES, /* had a CPU for at least three quarters of it */
	MACHINE_WAITS,	  /* for a CPU, for at least half of it */
	MACHINE_BLOCKS,	  /* neither, for at least half of it: it slept */
	MACHINE_AWAY,	  /* it waited or slept for at least half of it: which is not known */
	MACHINE_MIXED,
};
extern const char *const machine_doing_name[]; /* "computing", .. */

enum machine_doing machine_doing(const struct machine_use *use);

/* Of what is selected of the window: of a worker, or of all of them. */
struct machine_row {
	uint64_t known_ns;	      /* of the time of workers, between samples */
	uint64_t cpu_ns, cpu_wait_ns; /* as far as is known; without has_wait nothing is of waits */
	uint64_t away_ns;	      /* neither, where both are counted */
	uint64_t work_ns;
	/* work without a CPU, and that part of it in which the worker waited for one */
	uint64_t off_least_ns, off_most_ns, wait_least_ns, wait_most_ns;
	bool has_wait;
};

struct machine_rows {
	struct machine_row total;
	uint64_t own_ns; /* CPU time of the process's threads that are no workers; 0: not known */
	struct machine_row *worker; /* n_slots of the dag; NULL where there are no samples */
};

void machine_rows_build(struct machine_rows *rows, const struct machine *machine,
			const struct dag *dag, const struct select *select);
void machine_rows_free(struct machine_rows *rows); /* a zeroed one is fine */

/* Whether waits for CPUs are so much of work that it says little of the program. */
bool machine_inflates(const struct machine *machine, const struct machine_row *total,
		      const struct dag *dag);

/* What of the work was on a CPU, and the CPUs for it; of a process, or of several. */
struct machine_on_cpu {
	uint64_t inflated; /* 0: waits do not count: it is all work, on P workers; no padding, as it
			      is passed as bytes */
	uint64_t least_ns, most_ns, width;
};

struct machine_on_cpu machine_on_cpu(const struct machine *machine, const struct machine_row *total,
				     const struct dag *dag);
void machine_on_cpu_add(struct machine_on_cpu *to, const struct machine_on_cpu *more);

/* How long all workers waited for CPUs, as far as is known; and at least, as samples may lag. */
uint64_t machine_wait_ns(const struct machine *machine, const struct dag *dag);
uint64_t machine_wait_least_ns(const struct machine *machine, const struct dag *dag);

/* The CPUs that P workers can use at once. */
uint32_t machine_width(const struct machine *machine, const struct dag *dag);

/* Whether P exceeds the CPUs that the process could use. */
static inline bool machine_is_oversubscribed(const struct machine *machine, const struct dag *dag)
{
	return machine->cpus && dag->n_workers > machine->cpus;
}

/* Whether the masks of workers leave fewer CPUs than the process had when it began. */
static inline bool machine_is_bound(const struct machine *machine)
{
	return machine->bound && machine->bound == machine->cpus &&
	       machine->bound < machine->affinity;
}

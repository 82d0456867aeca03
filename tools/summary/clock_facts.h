/* SPDX-License-Identifier: MIT */
/*
 * clock_facts.h - what the trace's clock did that clocks should not: jumps and drift
 * (tools/trace/timeline.h), and workers whose clocks did not agree (merge_by_cause()).
 *
 * Times are ns since the begin of the window; those before it are 0.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "tools/trace/reader.h"
#include "tools/dag/dag.h"

struct clock_facts {
	const char *source;   /* "tsc", .. */
	uint32_t n_snapshots; /* in the trace */
	uint32_t n_jumps;
	int64_t jump_ns; /* the largest; positive if the clock went ahead */
	uint64_t jump_since_ns, jump_until_ns;
	uint32_t drift_ppm;
	uint64_t skew_ns; /* between workers: the most that an event began before its cause */
	uint64_t skew_at_ns;
	uint64_t cpus_off_ns; /* CPUs' counters differ, so it is not "tsc"; 0: not the reason */
	uint64_t drift_ns; /* what conversion by one rate would have been wrong by */
};

/* dag: NULL if there is none; then times are since the first event. */
struct clock_facts clock_facts_of(const struct reader *reader, const struct dag *dag);

/* A line for the head of a report on elapsed_ns; nothing if there is no fault that matters. */
void clock_put_faults(FILE *out, const struct clock_facts *clock, uint64_t elapsed_ns);

/* The lines of `tptrace info`. */
void clock_put_info(FILE *out, const struct clock_facts *clock);

/* SPDX-License-Identifier: MIT */
/* machine_facts.h - CPUs and CPU times, as the outputs tell of them. */
#pragma once

#include <stdio.h>
#include "tools/trace/defs_read.h"
#include "tools/summary/summary.h"
#include "tools/table/json.h"

/* "2 of 4 cores: oversubscribed", and "CPU wait 12 %" of elapsed x P; empty if not known, or if one
 * of the first n_shown findings says it.  Return `out`. */
char *machine_say_width(char *out, size_t room, const struct summary *summary);
char *machine_say_wait(char *out, size_t room, const struct summary *summary, uint32_t n_shown);

/* What is to be known before the breakdown: waits for CPUs, and work without one. */
void machine_put_warnings(FILE *out, const struct summary *summary);

/* The line on span and parallelism, of one process or of all of a job: where waits for CPUs are
 * most of what they measure, it says so. */
void machine_put_span(FILE *out, const struct machine_on_cpu *on_cpu, const struct least *least,
		      uint64_t n_workers, uint64_t bound_ns);

/* The lines of `tptrace info`: of a trace as it is, to the last sample of each worker. */
void machine_put_info(FILE *out, const struct defs *defs);

/* ,"machine":{..}; and the keys of a worker's row. */
void machine_put_json(struct json *to, const struct summary *summary);

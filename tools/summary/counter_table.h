/* SPDX-License-Identifier: MIT */
/*
 * counter_table.h - what was counted, by kind, site or path: as text and JSON.
 *
 * Ratios: for each task, for each second of work, and instructions a cycle where both are counted.
 * Time (cpu-time) for each second of work is the share of the work that had a CPU.
 */
#pragma once

#include "tools/summary/profile.h"
#include "tools/table/json.h"

/* Whether the trace has counters. */
bool counters_any(const struct summary *summary);

/* Which counters are missing, or threads that did not count; nothing if none are. */
void counters_put_missing(FILE *out, const struct summary *summary);

/* n_most rows of the profile with a line for each counter, and the rest as one. */
void counters_put(FILE *out, const struct summary *summary, const struct profile *profile,
		  const struct look *look);

/* Instructions a cycle; NAN: not both were counted. */
double counters_ipc(const struct summary *summary, const struct counts *counts);

/* Members of the report's object, and of a kind or path in it. */
void counters_put_json(struct json *to, const struct summary *summary);
void counters_put_json_row(struct json *to, const struct summary *summary,
			   const struct counts *counts, uint64_t n_tasks, uint64_t work_ns);

/* SPDX-License-Identifier: MIT */
/* dropped.h - writes what the workers' streams lack at their end.  For the thread that drains. */
#pragma once

#include <stdint.h>

struct drain;
struct trace_file;

/*
 * Writes the events that were dropped up to those units, and that no note covers yet.  seqno: of
 * each worker's next block, n of them; NULL: the trace's own.
 */
void dropped_put(struct drain *drain, struct trace_file *file, uint64_t end_units,
		 const uint32_t *seqno, uint32_t n);

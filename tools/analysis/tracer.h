/* SPDX-License-Identifier: MIT */
/*
 * tracer.h - when workers waited for the recorder: their holds as stretches of free time.
 *
 * A hold lies in the time in which its worker runs no strand: from its beginning on, or up to its
 * end, whichever the trace says (dag.h, struct hold).  Where that time is shorter than the hold, as
 * where several holds were told as one, the rest is taken from the free time before, the latest
 * first, to which the idle time of collapsed tasks belongs.  Holds that a collapsed task tells of
 * lie in its own idle time.  What finds no free time lies inside strands, and is work.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/base/map.h"
#include "tools/dag/dag.h"

struct tracer_span {
	uint64_t from_ns, to_ns; /* from < to; no two of a worker overlap */
	uint32_t worker;
	strand_id strand; /* of the task whose event had to wait; STRAND_NONE: not known */
};

struct tracer {
	struct tracer_span *span; /* by worker, each one's in order of time */
	uint64_t n;
	struct map inside; /* collapsed strand -> ns of its idle time; nobody knows when */
};

void tracer_find(struct tracer *tracer, const struct dag *dag);
void tracer_free(struct tracer *tracer);		       /* a zeroed one is fine */

/* How long the recorder held the worker of a collapsed strand while that was idle. */
uint64_t tracer_inside(const struct tracer *tracer, strand_id s);

/* Adds what is selected of them to by_kind[0..n_kinds-1]. */
void tracer_by_kind(const struct tracer *tracer, const struct dag *dag, uint16_t runtimes,
		    const struct select *select, uint64_t *by_kind);

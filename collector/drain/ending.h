/* SPDX-License-Identifier: MIT */
/*
 * ending.h - what a trace says besides its events: definitions, untold gaps, its end.
 *
 * Definitions are written whenever there is something new to say, so that a file without an end
 * says all that was known of its events.  For the thread that drains.
 */
#pragma once

#include <stdint.h>
#include "collector/trace/err.h"
#include "collector/session/clock.h"

struct drain;
struct trace_file;

/* What is said `now`: the file has all events of before `ticks`. */
struct whole {
	struct clock_pair now;
	uint64_t ticks; /* not after `now` */
};

/* Writes what is new of the program; and, unless NULL, up to when the file is whole.  With a flight
 * recorder it only takes the marks. */
void ending_definitions(struct drain *drain, const struct whole *whole);

/* Takes the marks that are new from the session, and keeps them. */
void ending_marks(struct drain *drain);

/*
 * Writes what the workers' streams lack at their end, up to those units: events that were dropped,
 * and not told of yet.  seqno: of each one's next block, n of them; NULL: the trace's own.
 */
void ending_gaps(struct drain *drain, struct trace_file *file, uint64_t end_units,
		 const uint32_t *seqno, uint32_t n);

/* Writes what the flight recorder holds to a new file, but for its end.  0 or -errno. */
int ending_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end);

/* Likewise; where the disk has no room for all of it, the newest.  Not if `tptrace recover` can
 * write all of it elsewhere. */
int ending_flight_fit(struct drain *drain, struct trace_file *file, const struct clock_pair *end);

/* Writes the last lines: what is missing in all, and `how` the program ended. */
void ending_last(struct drain *drain, struct clock_pair end, const char *how);

/* Writes all that there is up to now into a new file of that path.  0 or -errno and *err. */
int ending_snapshot(struct drain *drain, const char *path, const struct clock_pair *now,
		    struct err *err);

/* Why the trace could not grow, in words; NULL if it could, up to the size that it may have. */
const char *ending_why_full(const struct drain *drain);

/* Events that all workers dropped so far, those that were lost with a collector, and those for
 * which the file had no room. */
uint64_t ending_lost(struct drain *drain);

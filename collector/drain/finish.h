/* SPDX-License-Identifier: MIT */
/*
 * finish.h - writes the blocks of definitions, the end, and whole other files of a drain.
 *
 * For the thread that drains.
 */
#pragma once

#include "collector/definitions/definitions.h"

struct drain;
struct err;
struct trace_file;

/* Writes what is new of the program; and, unless NULL, the watermark.  With a flight
 * recorder it only takes the marks. */
void finish_definitions(struct drain *drain, const struct watermark *watermark);

/* Writes what the flight recorder has to a new file, but for its end; where the disk has no room
 * for all of it, the newest.  Not if `tptrace recover` can write all of it elsewhere. */
void finish_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end);

/* Writes the last lines: what is missing in all, and `how` the program ended. */
void finish_last(struct drain *drain, struct clock_pair end, const char *how);

/* Writes all that there is up to now into a new file of that path.  0 or -errno and *err. */
int finish_snapshot(struct drain *drain, const char *path, const struct clock_pair *now,
		    struct err *err);

/*
 * Writes what the workers' streams lack at their end: events that were dropped up to those units,
 * and that no note covers yet.  A flight recorder's file is a new one, of flight_write().
 */
void finish_dropped(struct drain *drain, struct trace_file *file, uint64_t end_units);

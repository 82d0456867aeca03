/* SPDX-License-Identifier: MIT */
/* units.h - numbers with their units, for people. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UNITS_TIME 16 /* room for a time */

#define UNITS_TIMES 28 /* room for how often */

/* "12.3 ms": three digits and a unit.  Returns out. */
char *units_time(char out[UNITS_TIME], uint64_t ns);
/* The same, in memory of the block that it stands in. */
#define TIME_TEXT(ns) units_time((char[UNITS_TIME]){ 0 }, ns)

/* "once", "12 times".  Returns out. */
char *units_times(char out[UNITS_TIMES], uint64_t n);

/* A sum or ratio in at most ten characters: "4096", "12.3 M"; of ns, a time.  Returns out. */
#define UNITS_COUNTER 32
char *units_counter(char out[UNITS_COUNTER], bool is_time, double value);

/* "3"; "3 of world 2" of a rank that others spawned (tools/run/identity.h).  Returns out. */
#define UNITS_RANK 42
char *units_rank(char out[UNITS_RANK], uint64_t rank, uint32_t nth_world);

/* What makes a noun plural. */
static inline const char *units_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

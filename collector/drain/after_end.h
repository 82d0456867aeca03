/* SPDX-License-Identifier: MIT */
/*
 * after_end.h - what threads of the program record after the instant at which the trace ends.
 *
 * Those events are not in the trace.  after_end_open() notes how far each worker is at the instant;
 * after_end_count() notes that again, just before the end is written.  For the thread
 * that drains.
 */
#pragma once

#include <stdint.h>

struct after_end {
	uint64_t ticks;
	uint64_t *head; /* of each worker; NULL: the trace does not end, or no memory */
	uint32_t n;
};

struct definitions_end;
struct drain;

void after_end_open(struct drain *drain, uint64_t ticks);

/* Counts how many tasks began or were made since, at least. */
void after_end_count(const struct drain *drain, struct definitions_end *end);

void after_end_free(struct after_end *after_end); /* a zeroed one is fine */

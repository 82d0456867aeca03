/* SPDX-License-Identifier: MIT */
/*
 * closing.h - the instant at which a trace ends while other threads of the program may go on.
 *
 * Events that they record later are not in the trace.  closing_open() notes where all rings stand
 * at the instant; closing_put() looks how far they have come, just before the end is written, and
 * says so.  For the thread that drains.
 */
#pragma once

#include "collector/trace/lines.h"

#include <stdint.h>

struct closing {
	uint64_t ticks;
	uint64_t *head; /* of each ring; NULL: not closing, or no memory */
	uint32_t n;
};

struct drain;

void closing_open(struct drain *drain, uint64_t ticks);

/* Writes how many tasks began or were made since, at least; nothing if none was. */
void closing_put(const struct drain *drain, struct lines *out);

void closing_free(struct closing *closing); /* a zeroed one is fine */

/* SPDX-License-Identifier: MIT */
/*
 * meetings.h - whether workers use the same cache line at about the same time, by samples.
 *
 * A line that one of them writes moves between their caches, and makes both wait.  Samples are
 * noted in the order of time; the two workers that used a line last are known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/base/map.h"

#define MEETING_NEVER UINT64_MAX
#define MEETING_WORD_SHIFT 2 /* words of 4 bytes, .. */
#define MEETING_LINE_SHIFT 4 /* .. 16 of them a line */

struct meeting_use {
	uint64_t ns, wrote_ns; /* the last times; MEETING_NEVER */
	uint64_t n, wrote_n;   /* .. and which of the worker's samples that were */
	uint32_t word;
	uint16_t worker;
	bool is_shared; /* a lock, or an atomic variable: meant for several workers */
};

struct meeting_worker {
	uint64_t n;    /* samples so far */
	bool is_there; /* it runs a task now */
};

struct meetings {
	/* how long ago a use may be: of memory that is meant to be shared; of other memory */
	uint64_t shared_ns, fresh_ns;
	/* .. or how many samples of its worker, which goes on with its task: it may have no CPU */
	uint64_t shared_n;
	const struct meeting_worker *worker;
	struct map lines; /* 1 + the place of its two uses */
	struct meeting_use (*use)[2];
	uint64_t n, room;
};

enum meeting { MEETING_NONE, MEETING_WORD, MEETING_LINE }; /* at the word; elsewhere in its line */

/* A use by a worker: *met who else did. */
void meetings_note(struct meetings *meetings, const struct meeting_use *now, enum meeting *met);
void meetings_free(struct meetings *meetings); /* a zeroed one is fine */

/* SPDX-License-Identifier: MIT */
/*
 * slow_kinds.h - for `tptrace record --slow`: where the code of kinds is, by their names in a trace
 * of the same program.
 */
#pragma once

#include "tools/run/run.h"

#include <stdio.h>

#include "tools/run/slowed.h"

#define SLOW_VARIABLE "TPTRACE_SLOW"
#define SLOW_KINDS_MOST SLOWED_MOST

/* KIND=F or KIND=xF, with F from 1.001 to 1000. */
bool slow_kinds_is(const char *text);

/* What `tptrace record` was asked for. */
struct slowing {
	const char *kind[SLOW_KINDS_MOST];
	const char *of; /* NULL: the newest trace */
	uint32_t n;	/* may be more than that */
};

/* Sets the variable for the program, if anything is to be slowed.  0, or the exit status, and what
 * is wrong was told. */
int slowing_set(const struct slowing *slowing);

/* Where the code of kinds is, as the recorder's lists of kinds have it
 * (preload/probes/kind_list.h). */
#define PLACES_BYTES 512u

/* With the bytes as %XX that have a meaning in the list, or would end a word. */
void places_put_text(FILE *out, const char *text);

/* The kind's own place.  False: nothing says where its code is. */
bool places_one(const struct run *run, kind_id kind, char place[PLACES_BYTES]);

/* All its places, `|` between them, and before unless it is the first.  False likewise. */
bool places_put(FILE *out, const struct run *run, kind_id kind, bool *first);

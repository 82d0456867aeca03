/* SPDX-License-Identifier: MIT */
/*
 * defs.h - what a trace says of its program, besides events: lines of text.
 *
 * The same lines stand in the file (WIRE_DEFS blocks) and in the text form (FORMAT.md).  A later
 * line about the same thing wins.  Numbers of runtimes, sites and modules are dense: 0, 1, ..
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/trace/defs_entries.h"
#include "collector/trace/lines.h"
#include "collector/trace/wire.h"

#define DEFS_RUNTIMES_MAX 256u
#define DEFS_CALLS_MOST_PS 1000000u /* more is no measurement */
#define DEFS_SITES_MAX 65536u
#define DEFS_MODULES_MAX (1u << 13)
#define DEFS_PATHS_MAX 65536u
#define DEFS_FRAMES_MAX (1u << 20)
#define DEFS_STACKS_MAX (1u << 22)

/* Lines about things that have numbers: `entry` is a struct defs_runtime, and so on. */
enum defs_numbered {
	DEFS_RUNTIME,
	DEFS_MODULE,
	DEFS_SITE,
	DEFS_COUNTER,
	DEFS_PATH,
	DEFS_FRAME,
	DEFS_STACK,
};
void defs_put(struct lines *out, enum defs_numbered what, uint32_t i, const void *entry);

/* Lines that have no number. */
void defs_put_sync(struct lines *out, struct defs_sync sync, bool snapshot);
void defs_put_mark(struct lines *out, const struct defs_mark *mark);
/* Writes the line of a sample of a worker. */
void defs_put_sample(struct lines *out, const struct defs_sample *sample);
void defs_put_cpu(struct lines *out, const struct defs_cpu *cpu);
void defs_put_process(struct lines *out, const struct defs_cpu *cpu); /* of all its threads */

/* ---- for who writes the lines of things that have numbers, and who reads them ---- */

/* How a value is kept, and written.  NUMBER: in hex; PARENT: it is a lower number than the entry's
 * own, so that no path is endless; MODULE: as 1 more. */
enum defs_form {
	FORM_TEXT,
	FORM_NUMBER,
	FORM_NUMBER32,
	FORM_MODULE,
	FORM_PARENT,
	FORM_KERNEL,
	FORM_OP
};

/* KEY=VALUE */
struct defs_field {
	const char *key; /* NULL behind the last */
	enum defs_form form;
	uint32_t at;   /* in the entry */
	uint32_t most; /* of a NUMBER32 */
	bool always;   /* a 0 is written, too */
};

/* By enum defs_numbered. */
extern const struct defs_numbered_line {
	const char *word;
	const struct defs_field *field;
} defs_numbered_line[];

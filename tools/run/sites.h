/* SPDX-License-Identifier: MIT */
/*
 * sites.h - what users call the code that tasks run, where it is created, and frames of samples.
 *
 * Names that the trace keeps (`meta names kept`) count; else they are looked up in the binaries
 * that are on this machine.  One thread.  Strings are the reader's, the names', or the sites' own.
 */
#pragma once

#include <stdbool.h>
#include "tools/trace/defs_read.h"
#include "tools/names/names.h"
#include "tools/table/places.h"

/* The name of a place that is a jump out of the code of a task, which no address tells. */
#define SITES_TAIL_CALL "the end of a task's code"

struct site_names {
	struct name code;	   /* of its tasks; function NULL: it makes none */
	struct name at;		   /* the place itself */
	bool code_known, at_known; /* by name, and not by module and offset */
};

struct sites {
	struct site_names *site; /* as many as the trace has */
	uint32_t n;
	struct name main; /* the program's main(): file NULL if not known */
	uint32_t main_last_line;
	bool kept; /* in the trace */
	struct names *names;
	const struct defs *defs;
};

/* Declares the modules and names the sites.  `defs` must outlive it. */
void sites_open(struct sites *sites, const struct defs *defs);
void sites_close(struct sites *sites); /* a zeroed one is fine */

/*
 * What users call a lock or the like: by the variable that it is (names.h); NULL if that is not
 * known.  Good until sites_close().
 */
const char *sites_object(const struct sites *sites, uint64_t address);
/* Writes the line of definitions that keeps that; nothing if it is not known. */
void sites_put_object(const struct sites *sites, uint64_t address, FILE *out);

/* What stands at a frame of a stack.  A function without a name, but whose beginning is known, has
 * that for its offset. */
struct name sites_frame(const struct sites *sites, const struct defs_frame *frame);

/* Writes the lines of definitions that keep the names.  Nothing that is not known. */
void sites_put(const struct sites *sites, FILE *out);

/* The path of the i-th binary that is another one than that which was recorded; NULL after the
 * last. */
const char *sites_changed(const struct sites *sites, uint32_t i);

/* As reports name it; its strings are those of the name. */
static inline struct place sites_place(const struct name *name)
{
	return (struct place){ .name = name->function,
			       .file = name->file,
			       .line = name->line,
			       .module = name->module,
			       .offset = name->module ? name->offset : 0 };
}

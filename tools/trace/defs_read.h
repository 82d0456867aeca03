/* SPDX-License-Identifier: MIT */
/* defs_read.h - the definitions of a trace (collector/trace/defs.h), as they are read. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "collector/trace/defs.h"

#define DEFS_METAS_MAX 1024u
#define DEFS_MARKS_MAX (1u << 28)
#define DEFS_CPUS_MAX (1u << 28)
#define DEFS_SNAPSHOTS_MAX (1u << 17)
#define DEFS_COUNTERS_MAX WIRE_COUNTERS
#define DEFS_SAMPLES_MAX (1u << 28)

struct defs {
	char *clock;		      /* "tsc", .., "ns"; NULL if not said */
	struct defs_sync first, last; /* equal if only one was said */
	uint32_t n_syncs;
	uint32_t n_snapshots;
	struct defs_sync *snapshot; /* in the order of the file: those that begin a piece of time */
	uint64_t whole_units; /* all events before this are in the file, even if its end is not */
	uint32_t n_metas, n_runtimes, n_modules, n_sites, n_marks, n_cpus, n_counters, n_paths;
	uint32_t n_processes;
	uint32_t n_frames, n_stacks, n_samples;
	struct defs_meta *meta;
	struct defs_runtime *runtime;
	struct defs_module *module;
	struct defs_site *site;	  /* 0..n_sites-1; those never said are zero */
	struct defs_mark *mark;	  /* in the order of the file */
	struct defs_cpu *cpu;	  /* likewise */
	struct defs_cpu *process; /* all threads of the process, n_processes times; likewise */
	struct defs_counter *counter;
	struct defs_path *path;	    /* 0..n_paths-1; 0 is none */
	struct defs_frame *frame;   /* 0..n_frames-1 */
	struct defs_stack *stack;   /* 0..n_stacks-1; 0 is none */
	struct defs_sample *sample; /* in the order of the file */
};

/*
 * Reads one line, without its newline, which is cut up in place.  0, or -EPROTO or -ENOMEM and
 * *what. Of a word that is not known -ENOENT: a reader skips the line, unless the word begins with
 * `!`.
 */
int defs_line(struct defs *defs, char *line, const char **what);

/* The value of a meta line, or NULL. */
const char *defs_meta(const struct defs *defs, const char *key);
/* The number that it is; 0 if there is none. */
uint64_t defs_meta_number(const struct defs *defs, const char *key);
/* What of the first runtime that says so has no edge from those it waited for, or NULL. */
const char *defs_unlinked(const struct defs *defs);

/* Writes the lines again of all things of a sort. */
void defs_put_all(struct lines *out, const struct defs *defs, enum defs_numbered what);
/* Prints lines to a stream, and frees them. */
void lines_pour(struct lines *lines, FILE *out);

void defs_free(struct defs *defs); /* a zeroed one is fine */

/* The words of a line of definitions: cut off, and read. */
/* Takes the %XX back, in place. */
void defs_unescape(char *text);
/* The next word of *at, cut off in place; NULL if there is none.  A `#` ends the line. */
char *defs_word(char **at);
/* Reads the whole word as a number, decimal or 0x; 0 or -EPROTO. */
int defs_number(const char *word, uint64_t *value);

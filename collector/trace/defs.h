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
#include "collector/trace/defs_text.h"
#include "collector/trace/err.h"
#include "collector/trace/lines.h"
#include "collector/trace/wire.h"

#define DEFS_RUNTIMES_MAX 256u
#define DEFS_CALLS_MOST_PS 1000000u /* more is no measurement */
#define DEFS_SITES_MAX 65536u
#define DEFS_MODULES_MAX (1u << 13)
#define DEFS_METAS_MAX 1024u
#define DEFS_MARKS_MAX (1u << 28)
#define DEFS_CPUS_MAX (1u << 28)
#define DEFS_SNAPSHOTS_MAX (1u << 17)
#define DEFS_COUNTERS_MAX WIRE_COUNTERS
#define DEFS_PATHS_MAX 65536u
#define DEFS_FRAMES_MAX (1u << 20)
#define DEFS_STACKS_MAX (1u << 22)
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
void defs_put_all(struct lines *out, const struct defs *defs, enum defs_numbered what);

/* Lines that have no number. */
void defs_put_sync(struct lines *out, struct defs_sync sync, bool snapshot);
void defs_put_mark(struct lines *out, const struct defs_mark *mark);
/* Writes the line of a sample of a worker. */
void defs_put_sample(struct lines *out, const struct defs_sample *sample);
void defs_put_cpu(struct lines *out, const struct defs_cpu *cpu);
void defs_put_process(struct lines *out, const struct defs_cpu *cpu); /* of all its threads */

void defs_free(struct defs *defs); /* a zeroed one is fine */

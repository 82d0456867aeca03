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
#include "collector/trace/defs_text.h"
#include "collector/trace/err.h"
#include "collector/trace/lines.h"
#include "collector/trace/stacks.h"
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

struct defs_meta {
	char *key, *value;
};

struct defs_runtime {
	char *name, *version; /* NULL if not said */
	char *note;	      /* what of it is not seen; NULL */
	uint32_t n_workers;
	uint32_t calls_ps; /* what recording takes for a strand besides its events; 0: not known */
};

struct defs_module {
	uint64_t start, end, bias;
	char *path, *build_id; /* build_id in hex; either may be NULL */
};

struct defs_site {
	uint64_t return_address, function;	 /* 0 if not said */
	uint32_t return_module, function_module; /* 1 + where they are; 0: the last that has them */
	uint32_t runtime;
	uint32_t line;
	char *name, *file;  /* of its tasks' code; NULL: to be looked up */
	char *at, *at_file; /* of the function that it is in, kept when the trace ended; or NULL */
	uint32_t at_line;
};

/* units of the trace and ns of CLOCK_MONOTONIC at one instant */
struct defs_sync {
	uint64_t units, ns;
};

/* A thing that happened to all of the process at an instant. */
enum defs_mark_what {
	DEFS_MARK_START, /* of the recording; it is on before the first, unless that is a START */
	DEFS_MARK_STOP,
	DEFS_MARK_PHASE, /* one begins, and lasts until the next */
	DEFS_MARK_BEGIN, /* a region does; others of that name may be open */
	DEFS_MARK_END,	 /* the last region that has not ended of that name */
	DEFS_MARKS
};

struct defs_mark {
	uint64_t units;
	enum defs_mark_what what;
	char *name; /* NULL of START and STOP */
};

/* A frame of the stack that makes a task; the path is this one and those above it. */
struct defs_path {
	uint32_t site;	 /* of the call */
	uint32_t parent; /* the path that called it, a lower number; 0: none */
};

/* What WIRE_COUNTER events count. */
struct defs_counter {
	char *name, *unit; /* either may be NULL */
};

/* How long threads of a worker had a CPU up to an instant, and how long they waited for one. */
struct defs_cpu {
	uint64_t units;
	uint64_t run_ns, wait_ns;
	uint32_t worker;
	bool has_wait; /* else wait_ns is unknown */
};

struct defs {
	char *clock;		      /* "tsc", .., "ns"; NULL if not said */
	struct defs_sync first, last; /* equal if only one was said */
	uint32_t n_syncs;
	uint32_t n_snapshots;
	struct defs_sync *snapshot; /* in the order of the file: those that begin a piece of time */
	uint64_t whole_units; /* all events before this are in the file, even if its end is not */
	uint32_t n_metas, n_runtimes, n_modules, n_sites, n_marks, n_cpus, n_counters, n_paths;
	uint32_t n_frames, n_stacks, n_samples;
	struct defs_meta *meta;
	struct defs_runtime *runtime;
	struct defs_module *module;
	struct defs_site *site; /* 0..n_sites-1; those never said are zero */
	struct defs_mark *mark; /* in the order of the file */
	struct defs_cpu *cpu;	/* likewise */
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

/* The word for a mark, as in its line. */
extern const char *const defs_mark_word[DEFS_MARKS];

/* The value of a meta line, or NULL. */
const char *defs_meta(const struct defs *defs, const char *key);

/* Writes the line of a sample of a worker. */
void defs_put_cpu(struct lines *out, const struct defs_cpu *cpu);

void defs_free(struct defs *defs); /* a zeroed one is fine */

/* SPDX-License-Identifier: MIT */
/* defs_entries.h - what definitions say of each runtime, module, site, and so on (defs.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/wire.h"

struct defs_meta {
	char *key, *value;
};

struct defs_runtime {
	char *name, *version; /* NULL if not said */
	char *note;	      /* what of it is not seen; NULL */
	char *unlinked;	      /* what of it waits for others and has no edge from them; NULL */
	uint32_t n_workers;
	uint32_t tokens;   /* the fewest items that a pipeline of it could have at once; 0: none */
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

extern const char *const defs_mark_word[WIRE_MARKS];

/* A thing that happened to all of the process at an instant. */
struct defs_mark {
	uint64_t units;
	enum wire_mark what;
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

/* What a thread did to memory just before it was sampled; SPIN: it waits there in a loop. */
enum defs_op { DEFS_OTHER, DEFS_LOAD, DEFS_STORE, DEFS_ATOMIC, DEFS_SPIN, DEFS_SYSCALL, DEFS_OPS };
extern const char *const defs_op_name[DEFS_OPS];

/* A place in code that samples of stacks name: a sample names a stack, a stack its innermost frame
 * and the stack that called it, as paths do. */
struct defs_frame {
	uint64_t pc;	   /* the instruction that ran, or the last byte of the one that calls */
	uint64_t function; /* where that begins; 0: to be looked up, as what follows */
	char *name, *file;
	char *header;	 /* of a library, whose code was inlined there into the function */
	char *around;	 /* the function that this one was inlined into, at last */
	uint32_t hidden; /* 1: no user's code is known around it */
	uint32_t line;
	uint32_t module; /* 1 + the one that had it then; 0: none, such as code made at run time */
	uint8_t op;	 /* enum defs_op: what a thread that stood there had done last */
};

/* The stack of a sample: its innermost frame, and the stack that called it. */
struct defs_stack {
	uint32_t frame;
	uint32_t parent; /* a lower number; 0: none */
};

/* What a worker's thread was doing at an instant. */
struct defs_sample {
	uint64_t units;
	uint64_t word;	    /* the address that the frame's `op` used; 0: not known */
	uint64_t asleep_ns; /* it slept, and the sample stands for so long; 0: it had a CPU */
	uint32_t stack;	    /* 0: unknown */
	uint16_t worker;
	bool in_kernel; /* .. on behalf of the stack's innermost frame */
};

/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - samples of what workers' threads were doing, as definitions have them (FORMAT.md).
 *
 * A sample names a stack, a stack its innermost frame and the stack that called it, as paths do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/lines.h"

/* What a thread did to memory just before it was sampled; SPIN: it waits there in a loop. */
enum defs_op { DEFS_OTHER, DEFS_LOAD, DEFS_STORE, DEFS_ATOMIC, DEFS_SPIN, DEFS_SYSCALL, DEFS_OPS };
extern const char *const defs_op_name[DEFS_OPS];

/* A place in code that samples of stacks name. */
struct defs_frame {
	uint64_t pc;	   /* the instruction that ran, or the last byte of the one that calls */
	uint64_t function; /* where that begins; 0: to be looked up, as what follows */
	char *name, *file;
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

/* Writes the lines about samples of stacks. */
void defs_put_frame(struct lines *out, uint32_t number, const struct defs_frame *frame);
void defs_put_stack(struct lines *out, uint32_t number, const struct defs_stack *stack);
void defs_put_sample(struct lines *out, const struct defs_sample *sample);

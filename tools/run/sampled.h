/* SPDX-License-Identifier: MIT */
/*
 * sampled.h - the stack samples of a run, and what users call their frames.
 *
 * The user's code is what lies in the program itself or in a module that has tasks' code or creates
 * tasks, but for runtimes, the language's libraries and code of a library's headers.  One thread.
 * Strings are the reader's or the names'.
 */
#pragma once

#include "tools/analysis/code.h"
#include "tools/run/run.h"

struct stack_frame {
	struct name name; /* function is never NULL; of a library as programs call it */
	bool is_user, is_runtime; /* a runtime's, or the recorder's */
	uint8_t op;		  /* enum defs_op */
	uint32_t kind;		  /* 1 + the kind whose code the function is; 0: none */
};

struct sampled {
	const struct defs *defs;
	struct stack_frame *frame; /* as many as the trace has */
	struct code code;
	uint64_t period_ns; /* of CPU time, that a sample with a CPU stands for; 0: not known */
	uint64_t cost_ns;   /* of CPU time, that taking one cost the program; 0: not known */
};

/* Without samples it is empty. */
void sampled_open(struct sampled *sampled, const struct run *run, const struct pauses *pauses);
void sampled_close(struct sampled *sampled); /* a zeroed one is fine */

/* The innermost frame of a stack; NULL: not known. */
static inline const struct stack_frame *sampled_inner(const struct sampled *sampled, uint32_t stack)
{
	const struct defs *defs = sampled->defs;

	if (!stack || stack >= defs->n_stacks || defs->stack[stack].frame >= defs->n_frames)
		return NULL;
	return &sampled->frame[defs->stack[stack].frame];
}

/* The innermost one of the user's code, and in *called what of a library that called; NULL: none.
 */
const struct stack_frame *sampled_user(const struct sampled *sampled, uint32_t stack,
				       const struct stack_frame **called);

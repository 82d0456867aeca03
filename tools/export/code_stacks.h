/* SPDX-License-Identifier: MIT */
/*
 * code_stacks.h - the stacks of samples with a CPU, each below the kind of tasks that it was in.
 *
 * Below a kind a stack begins with the kind's own function: what called that, of the runtime, says
 * nothing.  A sample outside of tasks is below what its worker was in, with all of its stack.
 */
#pragma once

#include "tools/export/export.h"

#define CODE_FRAMES 256u /* of a deeper stack the innermost */
#define CODE_ROOT 300u

struct code_stack {
	const struct code_cell *cell; /* whose samples it has */
	uint64_t n, ns;		      /* CPU time that these stand for; n if no period is known */
	uint32_t n_frames;
	uint32_t frame[CODE_FRAMES]; /* of the trace, the innermost first */
};

/* False if that cell has no sample with a CPU. */
bool code_stack_of(struct code_stack *stack, const struct summary *summary, uint32_t cell);

/* Whether the cut leaves its samples: by kind, as they have no worker and no task. */
bool code_is_kept(const struct export *export, const struct code_cell *cell);

/* "part (draws.c:10)".  Returns out. */
char *code_place(char out[CODE_ROOT], const struct place *place);
/* That of a kind, or "[idle]".  Returns out. */
char *code_root(char out[CODE_ROOT], const struct summary *summary, const struct code_cell *cell);

/* What a frame is called. */
static inline const char *code_frame(const struct summary *summary, uint32_t frame)
{
	return summary->sampled.frame[frame].name.function;
}
#define CODE_IN_KERNEL_FRAME "[kernel]" /* below the innermost one */

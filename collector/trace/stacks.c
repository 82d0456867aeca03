/* SPDX-License-Identifier: MIT */
/* stacks.c - writes the lines of frames, stacks and samples. */
#include "collector/trace/stacks.h"

#include <inttypes.h>

const char *const defs_op_name[DEFS_OPS] = {
	"other", "load", "store", "atomic", "spin", "syscall"
};

void defs_put_frame(struct lines *out, uint32_t number, const struct defs_frame *frame)
{
	lines_print(out, "frame %u pc=0x%" PRIx64, number, frame->pc);
	if (frame->function)
		lines_print(out, " fn=0x%" PRIx64, frame->function);
	if (frame->module)
		lines_print(out, " module=%u", frame->module - 1);
	lines_field(out, "name", frame->name);
	lines_field(out, "file", frame->file);
	if (frame->line)
		lines_print(out, " line=%u", frame->line);
	if (frame->op && frame->op < DEFS_OPS)
		lines_print(out, " op=%s", defs_op_name[frame->op]);
	lines_print(out, "\n");
}

void defs_put_stack(struct lines *out, uint32_t number, const struct defs_stack *stack)
{
	lines_print(out, "stack %u frame=%u", number, stack->frame);
	if (stack->parent)
		lines_print(out, " parent=%u", stack->parent);
	lines_print(out, "\n");
}

void defs_put_sample(struct lines *out, const struct defs_sample *sample)
{
	lines_print(out, "sample w%u %" PRIu64 " stack=%u", sample->worker, sample->units,
		    sample->stack);
	if (sample->word)
		lines_print(out, " word=0x%" PRIx64, sample->word);
	if (sample->asleep_ns)
		lines_print(out, " asleep=%" PRIu64, sample->asleep_ns);
	lines_print(out, "%s\n", sample->in_kernel ? " in=kernel" : "");
}

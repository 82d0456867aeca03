/* SPDX-License-Identifier: MIT */
/* code_stacks.c - follows the parents of stacks. */
#include "tools/export/code_stacks.h"
#include "tools/base/base_name.h"

#include <stdio.h>
#include <string.h>

bool code_stack_of(struct code_stack *stack, const struct summary *summary, uint32_t cell)
{
	const struct sampled *sampled = &summary->sampled;
	const struct defs *defs = sampled->defs;
	const struct code_cell *its = &sampled->code.cell[cell];
	uint32_t own = 0; /* frames up to the kind's function */

	*stack = (struct code_stack){ .cell = its,
				      .n = its->n,
				      .ns = its->n * (sampled->period_ns ?: 1) };
	for (uint32_t s = its->stack; s && s < defs->n_stacks && stack->n_frames < CODE_FRAMES;
	     s = defs->stack[s].parent) {
		uint32_t frame = defs->stack[s].frame;

		if (frame >= defs->n_frames)
			break;
		stack->frame[stack->n_frames++] = frame;
		if (its->kind != CODE_NO_KIND && sampled->frame[frame].kind == its->kind + 1)
			own = stack->n_frames;
	}
	if (own)
		stack->n_frames = own;
	return its->n > 0;
}

bool code_is_kept(const struct export *export, const struct code_cell *cell)
{
	const struct export_cut *cut = &export->cut;

	if (cut->workers || cut->top || !cut->kind)
		return !cut->workers && !cut->top;
	return cell->kind != CODE_NO_KIND &&
	       strcmp(export->summary->rows.code[cell->kind].name, cut->kind) == 0;
}

char *code_place(char out[CODE_ROOT], const struct place *place)
{
	if (place->file)
		snprintf(out, CODE_ROOT, "%s (%s:%u)", place->name, path_base(place->file),
			 place->line);
	else
		snprintf(out, CODE_ROOT, "%s", place->name);
	return out;
}

char *code_root(char out[CODE_ROOT], const struct summary *summary, const struct code_cell *cell)
{
	if (cell->kind == CODE_NO_KIND) {
		snprintf(out, CODE_ROOT, "[%s]", state_name[cell->state]);
		return out;
	}
	return code_place(out, &summary->rows.code[cell->kind]);
}

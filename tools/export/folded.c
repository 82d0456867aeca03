/* SPDX-License-Identifier: MIT */
/* folded.c - writes a line for each path. */
#include "tools/export/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/export/code_stacks.h"
#include "tools/summary/path_rows.h"
#include "tools/table/put.h"

#define FRAME_BYTES CODE_ROOT

/* A semicolon would end the frame. */
static void put_frame(FILE *out, const char *before, char *frame)
{
	for (char *c = frame; *c; c++)
		if (*c == ';')
			*c = ',';
	fputs(before, out);
	put_text(out, frame);
}

/* A frame for each of path_frames().  Whether there is any: not for roots, which nobody creates. */
static bool put_calls(FILE *out, const struct path_rows *rows, uint32_t path, const char *above)
{
	struct place place[PATH_CALLS];
	uint32_t n = path_frames(rows, path, above, place);
	char frame[FRAME_BYTES];

	for (uint32_t i = 0; i < n; i++)
		put_frame(out, above || i ? ";" : "", code_place(frame, &place[i]));
	return n > 0;
}

static void put_stack(FILE *out, const struct path_rows *rows, uint32_t path)
{
	uint32_t chain[PATHS_DEEPEST];
	uint32_t n = path_chain(rows, path, chain);
	char frame[FRAME_BYTES];

	for (uint32_t i = 0; i < n; i++) {
		const struct path *at = &rows->paths.path[chain[i]];
		uint32_t lead = at->lead;
		bool alone = rows->paths.path[lead].last == lead;
		const char *above = i ? path_code(rows, chain[i - 1])->name : NULL;
		bool first = !put_calls(out, rows, chain[i], above) && i == 0;

		if (!alone)
			put_frame(out, first ? "" : ";",
				  path_lead_text(frame, sizeof(frame), rows, lead));
		if (alone || i + 1 == n)
			put_frame(out, first && alone ? "" : ";",
				  code_place(frame, path_code(rows, chain[i])));
	}
}

/* Which process it is of, where that is said. */
static void put_owner(FILE *out, const char *process)
{
	char frame[FRAME_BYTES];

	if (!process)
		return;
	snprintf(frame, sizeof(frame), "%s", process);
	put_frame(out, "", frame);
	fputc(';', out);
}

static void put_line(FILE *out, const struct path_rows *rows, uint32_t path, const char *process,
		     const char *component, uint64_t ns)
{
	if (!ns)
		return;
	put_owner(out, process);
	put_stack(out, rows, path);
	fprintf(out, "%s%s %" PRIu64 "\n", component ? ";" : "", component ? component : "", ns);
}

static void put_folded_path(FILE *out, const struct path_rows *rows, uint32_t path,
			    enum folded what, const char *process)
{
	const struct charge *charge = &rows->by.breakdown.kind[path];

	switch (what) {
	case FOLDED_WORK:
		put_line(out, rows, path, process, NULL, charge->work_ns);
		break;
	case FOLDED_DELAY:
		put_line(out, rows, path, process, NULL, charge->delay_ns);
		break;
	case FOLDED_BLOCKED:
		put_line(out, rows, path, process, NULL,
			 rows->by.breakdown.in_state[path].ns[STATE_BLOCKED]);
		break;
	case FOLDED_NO_WORK:
		put_line(out, rows, path, process, NULL,
			 charge->no_work_sched_ns + charge->no_work_app_ns);
		break;
	default:
		put_line(out, rows, path, process, "[work]", charge->work_ns);
		put_line(out, rows, path, process, "[delay]", charge->delay_ns);
		put_line(out, rows, path, process, "[no-work-sched]", charge->no_work_sched_ns);
		put_line(out, rows, path, process, "[no-work-app]", charge->no_work_app_ns);
	}
}

void folded_put(FILE *out, const struct path_rows *rows, uint32_t path, uint64_t ns)
{
	put_line(out, rows, path, NULL, NULL, ns);
}

/* ---- stacks of samples ---- */

struct folded_stack {
	char *text;
	uint64_t ns;
};

ORDER(by_text, struct folded_stack, strcmp(x->text, y->text))

static char *fold_stack(const struct summary *summary, const struct code_stack *stack)
{
	char root[CODE_ROOT], frame[FRAME_BYTES], *text = NULL;
	size_t bytes;
	FILE *out = xopen_memstream(&text, &bytes);

	put_frame(out, "", code_root(root, summary, stack->cell));
	for (uint32_t i = stack->n_frames; i-- > 0;) {
		snprintf(frame, sizeof(frame), "%s", code_frame(summary, stack->frame[i]));
		put_frame(out, ";", frame);
	}
	if (stack->cell->in_kernel)
		fputs(";" CODE_IN_KERNEL_FRAME, out);
	xclose_memstream(out);
	return text;
}

/* Stacks that differ only by addresses are one line. */
static void print_code(FILE *out, const struct summary *summary, const char *process)
{
	const struct code *code = &summary->sampled.code;
	FREED struct folded_stack *line = xcalloc(code->n_cells + 1ull, sizeof(*line));
	struct code_stack stack;
	uint32_t n = 0;

	for (uint32_t i = 0; i < code->n_cells; i++)
		if (code_stack_of(&stack, summary, i))
			line[n++] = (struct folded_stack){ fold_stack(summary, &stack), stack.ns };
	SORT(line, n, by_text);
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 < n && by_text(&line[i], &line[i + 1]) == 0) {
			line[i + 1].ns += line[i].ns;
			continue;
		}
		put_owner(out, process);
		fprintf(out, "%s %" PRIu64 "\n", line[i].text, line[i].ns);
	}
	for (uint32_t i = 0; i < n; i++)
		free(line[i].text);
}

void folded_print(FILE *out, const struct summary *summary, enum folded what, const char *process)
{
	AT_END(path_rows_free) struct path_rows rows = { 0 };

	if (what == FOLDED_CODE) {
		print_code(out, summary, process);
		return;
	}
	path_rows_build(&rows, summary);
	for (uint32_t p = 0; p < rows.paths.n; p++)
		put_folded_path(out, &rows, p, what, process);
}

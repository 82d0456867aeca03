/* SPDX-License-Identifier: MIT */
/* view.c - puts the parts of the page one behind the other. */
#include "tools/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/bounds_facts.h"
#include "tools/report/json.h"
#include "tools/report/put.h"
#include "tools/view/bins.h"
#include "tools/view/columns.h"
#include "tools/view/meta.h"
#include "tools/view/overlays.h"
#include "tools/view/page.h"
#include "tools/view/section.h"
#include "tools/view/source.h"

/* Gives each worker that ran a strand a row. */
static int open_rows(struct view_run *run)
{
	const struct dag *dag = run->dag;

	run->row = malloc((dag->n_slots + 1ull) * sizeof(*run->row));
	run->worker = malloc((dag->n_slots + 1ull) * sizeof(*run->worker));
	if (!run->row || !run->worker)
		return -ENOMEM;
	memset(run->row, 0xff, (dag->n_slots + 1ull) * sizeof(*run->row));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			run->row[dag->strand[s].worker] = 0;
	for (uint32_t w = 0; w <= dag->n_slots; w++) {
		if (w < dag->n_slots && run->row[w] == 0) {
			run->row[w] = run->n_rows;
			run->worker[run->n_rows++] = w;
		} else {
			run->row[w] = 0; /* of nodes, and of workers that ran nothing */
		}
	}
	return 0;
}

static int open_run(struct view_run *run, const struct summary *summary, uint64_t most)
{
	int error;

	*run = (struct view_run){ .summary = summary, .dag = summary->dag };
	error = open_rows(run);
	if (!error)
		error = ready_path_build(&run->path, run->dag, RUNTIMES_ALL);
	if (!error)
		error = keep_choose(&run->keep, run->dag, &run->path, most);
	return error;
}

static void close_run(struct view_run *run)
{
	ready_path_free(&run->path);
	keep_free(&run->keep);
	free(run->row);
	free(run->worker);
}

/* ---- blocks of JSON ---- */

enum block { REPORT, META, BOUNDS, SOURCES, SIDES, DIFF };

/* What a block is of. */
struct content {
	const struct view_run *run;
	const struct view_side *side;
	uint32_t n; /* sides */
	const char *folder;
};

static void put_sides(FILE *out, const struct content *of)
{
	for (uint32_t i = 0; i < of->n; i++) {
		fputs(i ? ",{\"label\":" : "[{\"label\":", out);
		put_string(out, of->side[i].label);
		fprintf(out, ",\"elapsed\":%" PRIu64 "}", of->side[i].summary->dag->elapsed_ns);
	}
	fputs("]", out);
}

/* As `report --json --bounds` has them. */
static int put_bounds(FILE *out, const struct summary *summary)
{
	int error;

	fputs("{\"version\":1", out);
	error = bounds_put_json(out, summary);
	fputs("}", out);
	return error;
}

static int put_into(FILE *out, enum block block, const struct content *of)
{
	switch (block) {
	case REPORT:
		return json_report(out, of->run->summary);
	case META:
		meta_put(out, of->run);
		return 0;
	case BOUNDS:
		return put_bounds(out, of->run->summary);
	case SOURCES:
		return source_put(out, of->run, of->folder);
	case SIDES:
		put_sides(out, of);
		return 0;
	case DIFF:
		fputs(of->side->diff, out);
		return 0;
	}
	return 0;
}

/* `attribute` is what names it: an id, which a page has once, or data-block. */
static int put_json(FILE *out, const char *attribute, enum block block, const struct content *of)
{
	static const char *const name[] = { "summary", "meta", "bounds", "sources", "sides", "diff" };
	char *text = NULL;
	size_t n = 0;
	FILE *memory = open_memstream(&text, &n);
	int error = memory ? put_into(memory, block, of) : -ENOMEM;

	if (memory && fclose(memory) != 0)
		error = -ENOMEM;
	if (!error) {
		fprintf(out, "<script type=\"application/json\" %s=\"%s\">", attribute,
			name[block]);
		section_put_json(out, text, n);
		fputs("</script>\n", out);
	}
	free(text);
	return error;
}

/* ---- the page ---- */

/* The first run; the script stands before its columns, so that the report is drawn before them. */
static int put_first(FILE *out, const struct view_side *side, uint32_t n,
		     const struct view_wanted *wanted)
{
	struct view_run run;
	int error = open_run(&run, side->summary, wanted->most);
	struct content of = { .run = &run, .side = side, .n = n, .folder = wanted->source };

	page_put_head(out);
	if (!error)
		error = put_json(out, "id", REPORT, &of);
	if (!error)
		error = put_json(out, "id", META, &of);
	if (!error)
		error = put_json(out, "id", BOUNDS, &of);
	if (!error && n > 1)
		error = put_json(out, "id", SIDES, &of);
	page_put_script(out, n > 1);
	if (!error)
		error = put_json(out, "id", SOURCES, &of);
	if (!error)
		error = bins_put(out, &run);
	if (!error)
		error = columns_put(out, &run);
	if (!error)
		error = overlays_put(out, &run);
	close_run(&run);
	return error;
}

/* One of the others: the same blocks, in an element of their own. */
static int put_other(FILE *out, const struct view_side *side, uint32_t number,
		     const struct view_wanted *wanted)
{
	struct view_run run;
	int error = open_run(&run, side->summary, wanted->most);
	struct content of = { .run = &run, .side = side };

	fprintf(out, "<div hidden data-side=\"%u\">\n", number);
	if (!error)
		error = put_json(out, "data-block", REPORT, &of);
	if (!error)
		error = put_json(out, "data-block", META, &of);
	if (!error)
		error = put_json(out, "data-block", BOUNDS, &of);
	if (!error)
		error = put_json(out, "data-block", DIFF, &of);
	if (!error)
		error = bins_put(out, &run);
	if (!error)
		error = columns_put(out, &run);
	if (!error)
		error = overlays_put(out, &run);
	fputs("</div>\n", out);
	close_run(&run);
	return error;
}

int view_put(FILE *out, const struct view_side *side, uint32_t n, const struct view_wanted *wanted,
	     struct err *err)
{
	int error = put_first(out, side, n, wanted);

	for (uint32_t i = 1; i < n && !error; i++)
		error = put_other(out, &side[i], i, wanted);
	page_put_tail(out);
	return error ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* SPDX-License-Identifier: MIT */
/* view.c - puts the parts of the page one behind the other. */
#include "tools/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/threads.h"
#include "tools/base/xalloc.h"
#include "tools/table/put.h"
#include "tools/view/bins.h"
#include "tools/view/columns.h"
#include "tools/view/cures.h"
#include "tools/view/job_page.h"
#include "tools/view/meta.h"
#include "tools/view/overlays.h"
#include "tools/view/page.h"
#include "tools/view/section.h"
#include "tools/view/source.h"

/* Gives each worker that ran a strand a row. */
static void open_rows(struct view_run *run)
{
	const struct dag *dag = run->dag;

	run->row = xmalloc((dag->n_slots + 1ull) * sizeof(*run->row));
	run->worker = xmalloc((dag->n_slots + 1ull) * sizeof(*run->worker));
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
}

/* Of a run, what takes time. */
enum part { OF_BOUNDS, OF_LEVELS, OF_STRANDS, PARTS };

struct text {
	char *at;
	size_t n;
};

struct view {
	const struct view_side *side;
	struct view_run *run;
	struct text (*text)[PARTS]; /* by run */
	uint32_t n;
	struct view_wanted wanted;
};

/* ---- what takes time ---- */

/* What the views draw: of strands, .. */
static void put_kept(FILE *out, const struct view_run *run)
{
	columns_put(out, run);
	overlays_put_marks(out, run);
}

/* .. and of all of the run. */
static void put_levels(FILE *out, const struct view_run *run)
{
	bins_put(out, run);
	overlays_put_rows(out, run);
}

static void choose_strands(struct view_run *run, uint64_t most)
{
	const struct summary *summary = run->summary;
	const struct keep_wanted wanted = { .dag = run->dag,
					    .path = &summary->drawn.path,
					    .findings = &summary->findings,
					    .lives = &run->lives,
					    .n_rows = run->n_rows,
					    .most = most };

	keep_free(&run->keep);
	lives_free(&run->lives);
	if (run->dag->n_strands > most)
		lives_build(&run->lives, run->dag, run->row, run->n_rows);
	keep_choose(&run->keep, &wanted);
	if (!run->is_served)
		lives_chosen(&run->lives);
}

static void put_part(FILE *out, const struct view *view, uint32_t number, enum part part)
{
	struct view_run *run = &view->run[number];

	if (part == OF_BOUNDS)
		view->wanted.put_bounds(out, run->summary);
	else if (part == OF_LEVELS)
		put_levels(out, run);
	else
		put_kept(out, run);
}

static void make_text(struct view *view, uint32_t number, enum part part)
{
	struct text *text = &view->text[number][part];
	FILE *out;

	free(text->at);
	*text = (struct text){ 0 };
	out = xopen_memstream(&text->at, &text->n);
	put_part(out, view, number, part);
	xclose_memstream(out);
}

static void make_part(void *context, uint32_t i)
{
	struct view *view = context;

	make_text(view, i % view->n, i / view->n);
}

#define BYTES_BESIDES 1200000u /* of the page's script, names, and sources of a usual size */

/* How many bytes there are too many. */
static uint64_t bytes_over(const struct view *view)
{
	uint64_t n = BYTES_BESIDES;

	for (uint32_t i = 0; i < view->n; i++)
		for (int part = 0; part < PARTS; part++)
			n += view->text[i][part].n;
	return view->wanted.bytes && n > view->wanted.bytes ? n - view->wanted.bytes : 0;
}

/* Fewer strands of the run with the most of them; whether there were any. */
static bool keep_fewer(struct view *view, uint64_t over)
{
	uint32_t largest = 0;
	uint64_t bytes, n;

	for (uint32_t i = 1; i < view->n; i++)
		if (view->text[i][OF_STRANDS].n > view->text[largest][OF_STRANDS].n)
			largest = i;
	bytes = view->text[largest][OF_STRANDS].n;
	n = view->run[largest].keep.n;
	/* those that stay are dearer: they stand for more */
	n = over < bytes ? (uint64_t)((double)n * .9 * (double)(bytes - over) / (double)bytes) : 0;
	n = n > view->run[largest].keep.n / 4 ? n : view->run[largest].keep.n / 4;
	if (n == 0)
		return false;
	choose_strands(&view->run[largest], n);
	make_text(view, largest, OF_STRANDS);
	return true;
}

static void make_parts(struct view *view)
{
	uint64_t n_strands = 0, over;

	for (uint32_t i = 0; i < view->n; i++)
		n_strands += view->run[i].dag->n_strands;
	/* not beside the strands: both take much memory */
	threads_run(threads_for(n_strands), make_part, view, view->n * OF_STRANDS);
	malloc_trim(0); /* as analyse() of summary.c does */
	for (uint32_t i = 0; i < view->n; i++) {
		choose_strands(&view->run[i], view->wanted.most);
		make_text(view, i, OF_STRANDS);
	}
	while ((over = bytes_over(view)) > 0)
		if (!keep_fewer(view, over))
			break;
}

/* ---- runs ---- */

void view_open(struct view **view, const struct view_side *side, uint32_t n,
	       const struct view_wanted *wanted)
{
	struct view *of = *view = xcalloc(1, sizeof(*of));

	*of = (struct view){ .side = side, .n = n, .wanted = *wanted };
	of->run = xcalloc(n, sizeof(*of->run));
	of->text = xcalloc(n, sizeof(*of->text));
	for (uint32_t i = 0; i < n; i++) {
		of->run[i] = (struct view_run){ .summary = side[i].summary,
						.dag = side[i].summary->dag,
						.is_served = wanted->is_served };
		open_rows(&of->run[i]);
	}
	make_parts(of);
}

static void close_run(struct view_run *run)
{
	lives_free(&run->lives);
	keep_free(&run->keep);
	free(run->row);
	free(run->worker);
}

void view_close(struct view *view)
{
	if (!view)
		return;
	for (uint32_t i = 0; view->run && view->text && i < view->n; i++) {
		close_run(&view->run[i]);
		for (int part = 0; part < PARTS; part++)
			free(view->text[i][part].at);
	}
	free(view->run);
	free(view->text);
	free(view);
}

/* ---- blocks of JSON ---- */

enum block { REPORT, META, BOUNDS, CURES, SOURCES, SIDES, DIFF };

/* What a block is of. */
struct content {
	const struct view_run *run;
	const struct text *text; /* PARTS */
	const struct view_side *side;
	uint32_t n; /* sides */
	const struct view_wanted *wanted;
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

static void put_made(FILE *out, const struct text *text)
{
	fwrite(text->at, 1, text->n, out);
}

static int put_into(FILE *out, enum block block, const struct content *of)
{
	switch (block) {
	case REPORT:
		return of->wanted->put_report(out, of->run->summary);
	case META:
		meta_put(out, of->run, of->wanted);
		return 0;
	case BOUNDS:
		/* as `report --json --bounds` has them */
		fputs("{\"version\":1", out);
		put_made(out, &of->text[OF_BOUNDS]);
		fputs("}", out);
		return 0;
	case CURES:
		cures_put(out, of->run, of->side->tried);
		return 0;
	case SOURCES:
		source_put(out, of->run, of->wanted->source);
		return 0;
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
	static const char *const name[] = { "summary", "meta",	"bounds", "cures",
					    "sources", "sides", "diff" };
	char *text = NULL;
	size_t n = 0;
	FILE *memory = xopen_memstream(&text, &n);
	int error = put_into(memory, block, of);

	xclose_memstream(memory);
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

static void put_columns(FILE *out, const struct text *text)
{
	put_made(out, &text[OF_LEVELS]);
	put_made(out, &text[OF_STRANDS]);
}

/* The first run; the script stands before its columns, so that the report is drawn before them. */
static int put_first(FILE *out, const struct view *view)
{
	struct content of = { .run = view->run,
			      .text = view->text[0],
			      .side = view->side,
			      .n = view->n,
			      .wanted = &view->wanted };
	int error;

	page_put_head(out, view->wanted.is_served);
	error = put_json(out, "id", REPORT, &of) ?: put_json(out, "id", META, &of) ?:
		put_json(out, "id", BOUNDS, &of);
	if (!error && view->side->tried)
		error = put_json(out, "id", CURES, &of);
	if (!error && view->side->tried)
		cures_put_schedules(out, view->run, view->side->tried);
	if (!error && view->n > 1)
		error = put_json(out, "id", SIDES, &of);
	page_put_script(out, view->n > 1 ? PAGE_OF_RUNS : PAGE_OF_RUN);
	if (!error)
		error = put_json(out, "id", SOURCES, &of);
	put_columns(out, view->text[0]);
	return error;
}

/* One of the others: the same blocks. */
static int put_blocks(FILE *out, const struct view *view, uint32_t number)
{
	struct content of = { .run = &view->run[number],
			      .text = view->text[number],
			      .side = &view->side[number],
			      .wanted = &view->wanted };

	int error = put_json(out, "data-block", REPORT, &of) ?:
		    put_json(out, "data-block", META, &of) ?:
		    put_json(out, "data-block", BOUNDS, &of) ?:
		    put_json(out, "data-block", of.side->diff ? DIFF : SOURCES, &of);

	put_columns(out, of.text);
	return error;
}

/* In an element of their own. */
static int put_other(FILE *out, const struct view *view, uint32_t number)
{
	int error;

	fprintf(out, "<div hidden id=\"side-%u\">\n", number);
	error = put_blocks(out, view, number);
	fputs("</div>\n", out);
	return error;
}

int view_put_rows(FILE *about, FILE *states, const struct summary *summary,
		  const struct view_wanted *wanted, uint32_t n_processes)
{
	struct view_run run = { .summary = summary, .dag = summary->dag };
	uint32_t n_bins;
	int error;

	open_rows(&run);
	n_bins = job_bins(&run, n_processes);
	error = job_put_about(about, &run, wanted, n_bins);
	if (!error)
		bins_put_states(states, &run, n_bins);
	close_run(&run);
	return error;
}

int view_put_blocks(FILE *out, const struct view *view)
{
	return put_blocks(out, view, 0);
}

int view_put(FILE *out, const struct view *view, struct err *err)
{
	int error = put_first(out, view);

	for (uint32_t i = 1; i < view->n && !error; i++)
		error = put_other(out, view, i);
	page_put_tail(out);
	return error ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* ---- a stretch of time ---- */

static uint64_t strands_in(const struct view_run *run, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n = 0;

	for (uint32_t row = 0; row < run->n_rows; row++)
		n += lives_before(&run->lives, run->dag, row, to_ns) -
		     lives_before(&run->lives, run->dag, row, from_ns);
	return n;
}

/* Adds as much time on either side as is asked for; half of that, .. while it is too much. */
static void widen(const struct view_run *run, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t elapsed_ns = run->dag->elapsed_ns;

	for (uint64_t air = *to_ns - *from_ns; air > 0; air /= 2) {
		uint64_t from = *from_ns > air ? *from_ns - air : 0;
		uint64_t to = elapsed_ns - *to_ns > air ? *to_ns + air : elapsed_ns;

		if (strands_in(run, from, to) > VIEW_WINDOW)
			continue;
		*from_ns = from;
		*to_ns = to;
		return;
	}
}

int view_put_window(FILE *out, const struct view *view, uint32_t side, uint64_t from_ns,
		    uint64_t to_ns)
{
	const struct view_run *all = side < view->n ? &view->run[side] : NULL;
	struct view_run run;
	uint64_t n;

	if (!all || !all->keep.number || from_ns >= to_ns || to_ns > all->dag->elapsed_ns)
		return -ERANGE;
	n = strands_in(all, from_ns, to_ns);
	if (n > VIEW_WINDOW) {
		fprintf(out,
			"<script type=\"application/json\" id=\"meta\">{\"full\":null,"
			"\"strands\":%" PRIu64 "}</script>\n",
			n);
		return 0;
	}
	widen(all, &from_ns, &to_ns);
	run = *all;
	keep_window(&run.keep, &all->keep, run.dag, &run.lives, run.n_rows, from_ns, to_ns);
	fprintf(out,
		"<script type=\"application/json\" id=\"meta\">{\"full\":[%" PRIu64 ",%" PRIu64
		"],\"kept\":%u,\"tasks\":%u}</script>\n",
		from_ns, to_ns, run.keep.n, run.keep.n_tasks);
	put_kept(out, &run);
	keep_free(&run.keep);
	return 0;
}

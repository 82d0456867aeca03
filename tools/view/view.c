/* SPDX-License-Identifier: MIT */
/* view.c - puts the parts of the page one behind the other. */
#include "tools/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
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

#define STRANDS_LEAST                                                                              \
	4 /* a part of the page's bytes that strands may take, whatever else there is */

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

/* Of a run.  Threads make the first, and each takes time. */
enum part { BOUNDS, LEVELS, STRANDS, META, REPORT, SOURCES, DIFF, CURES, SCHEDULES, SIDES, PARTS };

/* Of JSON: as the page names it. */
static const char *const block_name[PARTS] = {
	[BOUNDS] = "bounds", [META] = "meta",	[REPORT] = "summary", [SOURCES] = "sources",
	[DIFF] = "diff",     [CURES] = "cures", [SIDES] = "sides",
};

struct text {
	char *at;
	size_t n;
};

struct view {
	const struct view_side *side;
	struct view_run *run;
	struct text (*text)[PARTS]; /* by run; NULL: it has none of that */
	uint32_t n;
	struct view_wanted wanted;
};

/* ---- parts ---- */

static void put_sides(FILE *out, const struct view *view)
{
	for (uint32_t i = 0; i < view->n; i++) {
		fputs(i ? ",{\"label\":" : "[{\"label\":", out);
		put_string(out, view->side[i].label);
		fprintf(out, ",\"elapsed\":%" PRIu64 "}", view->side[i].summary->dag->elapsed_ns);
	}
	fputs("]", out);
}

/* As `report --json --bounds` has them. */
static void put_bounds(FILE *out, const struct view *view, const struct view_run *run)
{
	fputs("{\"version\":1", out);
	view->wanted.put_bounds(out, run->summary);
	fputs("}", out);
}

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
	const struct view_run *run = &view->run[number];

	switch (part) {
	case BOUNDS:
		put_bounds(out, view, run);
		break;
	case LEVELS:
		put_levels(out, run);
		break;
	case STRANDS:
		put_kept(out, run);
		break;
	case META:
		meta_put(out, run, &view->wanted);
		break;
	case REPORT:
		view->wanted.put_report(out, run->summary);
		break;
	case SOURCES:
		source_put(out, run, view->wanted.source);
		break;
	case DIFF:
		fputs(view->side[number].diff, out);
		break;
	case CURES:
		cures_put(out, run, view->side[number].tried);
		break;
	case SCHEDULES:
		cures_put_schedules(out, run, view->side[number].tried);
		break;
	case SIDES:
		put_sides(out, view);
		break;
	case PARTS:
		break;
	}
}

/* JSON as it may stand in a page. */
static void quote(struct text *text)
{
	struct text json = *text;
	FILE *out = xopen_memstream(&text->at, &text->n);

	section_put_json(out, json.at, json.n);
	xclose_memstream(out);
	free(json.at);
}

static void make_text(const struct view *view, uint32_t number, enum part part)
{
	struct text *text = &view->text[number][part];
	FILE *out;

	free(text->at);
	*text = (struct text){ 0 };
	out = xopen_memstream(&text->at, &text->n);
	put_part(out, view, number, part);
	xclose_memstream(out);
	if (block_name[part])
		quote(text);
}

static void make_part(void *context, uint32_t i)
{
	struct view *view = context;

	make_text(view, i % view->n, i / view->n);
}

/* How many bytes too many there are: not of strands, where these are few beside all else. */
static uint64_t bytes_over(const struct view *view)
{
	uint64_t most = view->wanted.bytes, n = page_bytes(), n_strands = 0;

	for (uint32_t i = 0; i < view->n; i++) {
		for (int part = 0; part < PARTS; part++)
			n += view->text[i][part].n;
		n_strands += view->text[i][STRANDS].n;
	}
	if (!most || n <= most || n_strands <= most / STRANDS_LEAST)
		return 0;
	return at_most(n - most, n_strands - most / STRANDS_LEAST);
}

static void make_strands(struct view *view, uint32_t number, uint64_t most)
{
	choose_strands(&view->run[number], most);
	make_text(view, number, STRANDS);
	make_text(view, number, META);
}

/* Fewer strands of the run with the most of them; whether there were any. */
static bool keep_fewer(struct view *view, uint64_t over)
{
	uint32_t largest = 0;
	uint64_t bytes, n;

	for (uint32_t i = 1; i < view->n; i++)
		if (view->text[i][STRANDS].n > view->text[largest][STRANDS].n)
			largest = i;
	bytes = view->text[largest][STRANDS].n;
	n = view->run[largest].keep.n;
	/* those that stay are dearer: they stand for more */
	n = over < bytes ? (uint64_t)((double)n * .9 * (double)(bytes - over) / (double)bytes) : 0;
	n = n > view->run[largest].keep.n / 4 ? n : view->run[largest].keep.n / 4;
	if (n == 0)
		return false;
	make_strands(view, largest, n);
	return true;
}

/* A page's blocks of its first run, and of another. */
static void make_blocks(struct view *view, uint32_t number)
{
	const struct view_side *side = &view->side[number];

	make_text(view, number, REPORT);
	make_text(view, number, side->diff ? DIFF : SOURCES);
	if (number == 0 && side->tried) {
		make_text(view, number, CURES);
		make_text(view, number, SCHEDULES);
	}
	if (number == 0 && view->n > 1)
		make_text(view, number, SIDES);
}

static void make_parts(struct view *view)
{
	uint64_t n_strands = 0, over;

	for (uint32_t i = 0; i < view->n; i++)
		n_strands += view->run[i].dag->n_strands;
	/* not beside the strands: both take much memory */
	threads_run(threads_for(n_strands), make_part, view, view->n * STRANDS);
	malloc_trim(0); /* as analyse() of summary.c does */
	for (uint32_t i = 0; i < view->n; i++) {
		make_blocks(view, i);
		make_strands(view, i, view->wanted.most);
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

/* ---- the page ---- */

/* `attribute` is what names JSON: an id, which a page has once, or data-block. */
static void put_made(FILE *out, const char *attribute, const struct text *text, enum part part)
{
	if (!text[part].at)
		return;
	if (block_name[part])
		fprintf(out, "<script type=\"application/json\" %s=\"%s\">", attribute,
			block_name[part]);
	fwrite(text[part].at, 1, text[part].n, out);
	if (block_name[part])
		fputs("</script>\n", out);
}

static void put_all_made(FILE *out, const char *attribute, const struct text *text,
			 const enum part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_made(out, attribute, text, part[i]);
}

#define PUT_MADE(out, attribute, text, ...)                                                        \
	put_all_made(out, attribute, text, (const enum part[]){ __VA_ARGS__ },                     \
		     sizeof((const enum part[]){ __VA_ARGS__ }) / sizeof(enum part))

/* The first run; the script stands before its columns, so that the report is drawn before them. */
static void put_first(FILE *out, const struct view *view)
{
	page_put_head(out, view->wanted.is_served);
	PUT_MADE(out, "id", view->text[0], REPORT, META, BOUNDS, CURES, SCHEDULES, SIDES);
	page_put_script(out, view->n > 1 ? PAGE_OF_RUNS : PAGE_OF_RUN);
	PUT_MADE(out, "id", view->text[0], SOURCES, LEVELS, STRANDS);
}

/* One of the others: the same blocks. */
static void put_blocks(FILE *out, const struct view *view, uint32_t number)
{
	PUT_MADE(out, "data-block", view->text[number], REPORT, META, BOUNDS, DIFF, SOURCES, LEVELS,
		 STRANDS);
}

/* In an element of their own. */
static void put_other(FILE *out, const struct view *view, uint32_t number)
{
	fprintf(out, "<div hidden id=\"side-%u\">\n", number);
	put_blocks(out, view, number);
	fputs("</div>\n", out);
}

void view_put_rows(FILE *about, FILE *states, const struct summary *summary,
		   const struct view_wanted *wanted, uint32_t n_processes)
{
	struct view_run run = { .summary = summary, .dag = summary->dag };
	uint32_t n_bins;

	open_rows(&run);
	n_bins = job_bins(&run, n_processes);
	job_put_about(about, &run, wanted, n_bins);
	bins_put_states(states, &run, n_bins);
	close_run(&run);
}

void view_put_blocks(FILE *out, const struct view *view)
{
	put_blocks(out, view, 0);
}

void view_put(FILE *out, const struct view *view)
{
	put_first(out, view);
	for (uint32_t i = 1; i < view->n; i++)
		put_other(out, view, i);
	page_put_tail(out);
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

/* SPDX-License-Identifier: MIT */
/* diff_screen.c - prints a comparison for people. */
#include "tools/diff/diff_screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/diff/diff_counters.h"
#include "tools/diff/why.h"
#include "tools/table/fit.h"
#include "tools/base/ratio.h"

#define SIGNED (UNITS_TIME + 2)
#define SIDES_MOST 7u	/* of work by kind, .. */
#define SIDE_COLUMNS 9u /* .. each with so many */

/* ---- pieces ---- */

/* "+1.20 ms", "-3 s", "0". */
static char *signed_time(char out[SIGNED], int64_t ns)
{
	snprintf(out, SIGNED, "%s%s",
		 ns < 0	  ? "-"
		 : ns > 0 ? "+"
			  : "",
		 TIME_TEXT(ns < 0 ? (uint64_t)-ns : (uint64_t)ns));
	return out;
}

static char *signed_number(char out[SIGNED], int64_t n)
{
	snprintf(out, SIGNED, n ? "%+" PRId64 : "0", n);
	return out;
}

/* "+41.9 %"; of nothing, "". */
static char *change_text(char out[SIGNED], uint64_t a, uint64_t b)
{
	out[0] = 0;
	if (a)
		snprintf(out, SIGNED, "%+.1f %%", 100 * ((double)b / (double)a - 1));
	return out;
}

static const char *mark_of(enum noise noise)
{
	return noise == NOISE_WITHIN ? "~" : " ";
}

/* ---- the sides ---- */

static void put_names(FILE *out, const struct comparison *c, int width)
{
	for (uint32_t s = 0; s < c->n; s++) {
		const struct side *side = &c->side[s];
		const struct outcome *run = side_outcome(side);
		char *text = NULL;
		size_t bytes;
		FILE *line = xopen_memstream(&text, &bytes);

		fprintf(line, "%s: %s%s%s", side->label, run->runtimes, run->command[0] ? ", " : "",
			run->command);
		if (run->n_processes > 1)
			fprintf(line, ", %u processes", run->n_processes);
		if (side->n > 1)
			fprintf(line, ", %u runs", side->n);
		xclose_memstream(line);
		diff_rest(out, text, fprintf(out, "  %-3s ", LETTER(s)), width);
		free(text);
	}
}

#define SIDES_LEAST 59 /* columns of a line with none of these */
#define RUNS 5
#define EFFICIENCY 11
#define RANGE 21

/* What of a line there is room for. */
struct sides_shown {
	bool ranges, efficiency, runs;
};

static struct sides_shown sides_shown(const struct comparison *c, int width)
{
	struct sides_shown shown = { 0 };
	int left = width - SIDES_LEAST;

	for (uint32_t s = 0; s < c->n; s++)
		shown.ranges |= c->side[s].n > 1;
	shown.ranges &= left >= RANGE;
	left -= shown.ranges ? RANGE : 0;
	shown.runs = left >= RUNS;
	left -= shown.runs ? RUNS : 0;
	shown.efficiency = left >= EFFICIENCY;
	return shown;
}

static void put_side(FILE *out, const struct comparison *c, uint32_t s, struct sides_shown shown)
{
	const struct side *side = &c->side[s];
	const uint64_t *figure = side_outcome(side)->figure;
	struct interval range = side_interval(side, FIGURE_ELAPSED);
	char both[2 * UNITS_TIME + 4] = "";

	if (side->n > 1)
		snprintf(both, sizeof(both), "%s - %s", TIME_TEXT(range.low),
			 TIME_TEXT(range.high));
	fprintf(out, "  %-3s %4" PRIu64, LETTER(s), side_outcome(side)->n_workers);
	if (shown.runs)
		fprintf(out, " %4u", side->n);
	fprintf(out, " %9s", TIME_TEXT(figure[FIGURE_ELAPSED]));
	if (shown.ranges)
		fprintf(out, " %*s", RANGE - 1, both);
	fprintf(out, " %8.2f", comparison_speedup(c, s));
	if (shown.efficiency)
		fprintf(out, " %8.0f %%", 100 * comparison_efficiency(c, s));
	fprintf(out, " %5.1f%% %5.1f%% %7.1f%% %5.1f%%\n",
		percent(figure[FIGURE_WORK], figure[FIGURE_CUMULATIVE]),
		percent(figure[FIGURE_DELAY], figure[FIGURE_CUMULATIVE]),
		percent(figure[FIGURE_SCHED], figure[FIGURE_CUMULATIVE]),
		percent(figure[FIGURE_APP], figure[FIGURE_CUMULATIVE]));
}

/* Elapsed time, and how it scales. */
static void put_sides(FILE *out, const struct comparison *c, int width)
{
	struct sides_shown shown = sides_shown(c, width);

	fprintf(out, "\n  %-3s %4s%s %9s", "", "P", shown.runs ? " runs" : "", "elapsed");
	if (shown.ranges)
		fprintf(out, " %*s", RANGE - 1, "low - high");
	fprintf(out, " %8s%s %6s %6s %8s %6s\n", "speed-up", shown.efficiency ? " efficiency" : "",
		"work", "delay", "nw-sched", "nw-app");
	for (uint32_t s = 0; s < c->n; s++)
		put_side(out, c, s, shown);
}

/* ---- figures ---- */

#define SHARES_FROM 70 /* columns from which a line has the change in per cent */

static void put_both(FILE *out, const char *name, uint64_t a, uint64_t b, bool time,
		     enum noise noise, int width)
{
	char change[SIGNED], share[SIGNED];

	fprintf(out, "  %-22s", name);
	if (time)
		fprintf(out, " %10s %10s %11s", TIME_TEXT(a), TIME_TEXT(b),
			signed_time(change, (int64_t)(b - a)));
	else
		fprintf(out, " %10" PRIu64 " %10" PRIu64 " %11s", a, b,
			signed_number(change, (int64_t)(b - a)));
	change_text(share, a, b);
	if (width >= SHARES_FROM && (*share || noise == NOISE_WITHIN))
		fprintf(out, " %10s", share);
	fputs(noise == NOISE_WITHIN ? "~\n" : "\n", out);
}

static void put_figure(FILE *out, const struct comparison *c, const char *name, enum figure figure,
		       bool time, int width)
{
	uint64_t a = side_figure(&c->side[0], figure), b = side_figure(comparison_last(c), figure);

	if (a || b)
		put_both(out, name, a, b, time, comparison_noise(c, figure), width);
}

/* What a state has besides work. */
static void put_state(FILE *out, const struct comparison *c, int state, int width)
{
	uint64_t both[2] = { 0 };
	char name[40];

	for (int v = VALUE_DELAY; v <= VALUE_APP; v++) {
		enum figure figure = FIGURE_STATES + (enum figure)(4 * state + v);

		both[0] += side_figure(&c->side[0], figure);
		both[1] += side_figure(comparison_last(c), figure);
	}
	snprintf(name, sizeof(name), "  not working: %-7s", state_name[state]);
	if (both[0] != both[1])
		put_both(out, name, both[0], both[1], true, NOISE_UNKNOWN, width);
}

static void put_edges(FILE *out, const struct comparison *c, int width)
{
	for (int e = 0; e < EDGE_KINDS; e++) {
		char name[40];

		snprintf(name, sizeof(name), "    by %s", edge_kind_name[e]);
		if (comparison_figure(c, FIGURE_EDGES + (enum figure)e))
			put_figure(out, c, name, FIGURE_EDGES + (enum figure)e, true, width);
	}
}

static void put_figures(FILE *out, const struct comparison *c, int width)
{
	static const struct {
		const char *name;
		enum figure figure;
		bool time;
	} row[] = { { "elapsed", FIGURE_ELAPSED, true },
		    { "elapsed x P", FIGURE_CUMULATIVE, true },
		    { "  work", FIGURE_WORK, true },
		    { "  delay", FIGURE_DELAY, true },
		    { "  no-work-sched", FIGURE_SCHED, true },
		    { "  no-work-app", FIGURE_APP, true },
		    { "span", FIGURE_SPAN, true },
		    { "recording, about", FIGURE_TRACER, true },
		    { "workers on CPUs", FIGURE_CPU, true },
		    { "workers in CPU wait", FIGURE_CPU_WAIT, true },
		    { "tasks", FIGURE_TASKS, false },
		    { "steals", FIGURE_STEALS, false },
		    { "migrations", FIGURE_MIGRATIONS, false } };
	const char *letter[] = { LETTER(0), LETTER(c->n - 1) };
	char change[2 * WHY_NAME + 4];

	snprintf(change, sizeof(change), "%s - %s", letter[1], letter[0]);
	fprintf(out, "\n  %-22s %10s %10s %11s%s\n", "", letter[0], letter[1], change,
		width < SHARES_FROM ? "" : " ~ in noise");
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		put_figure(out, c, row[i].name, row[i].figure, row[i].time, width);
		if (row[i].figure == FIGURE_DELAY)
			put_edges(out, c, width);
		for (int s = 0; s < STATES && row[i].figure == FIGURE_APP; s++)
			put_state(out, c, s, width);
	}
}

/* ---- kinds and places ---- */

static bool is_changed(const struct comparison *c, enum list list, uint32_t row)
{
	for (int v = 0; v < VALUES; v++)
		if (comparison_value(c, list, row, (enum value)v))
			return true;
	return false;
}

#define NAME_LEAST 20  /* columns that a row's name is to have */
#define ROW_COLUMNS 40 /* of what each row has, besides these: */
#define WORK_COLUMNS 9
#define STRETCH_COLUMNS 8
#define TASKS_COLUMNS 10

/* What a row has besides; the last goes first where its name has no room. */
struct row_shown {
	bool stretch, tasks, work;
};

static struct row_shown row_shown(int width)
{
	int left = width - NAME_LEAST - ROW_COLUMNS - 2;

	return (struct row_shown){ .stretch = left >= STRETCH_COLUMNS,
				   .tasks = left >= STRETCH_COLUMNS + TASKS_COLUMNS,
				   .work = left >= STRETCH_COLUMNS + TASKS_COLUMNS + WORK_COLUMNS };
}

static void put_item(FILE *out, const struct comparison *c, enum list list, uint32_t row, int width)
{
	uint64_t a = comparison_item(c, list, row, 0, VALUE_WORK);
	uint64_t b = comparison_item(c, list, row, c->n - 1, VALUE_WORK);
	uint64_t n_a = comparison_item(c, list, row, 0, VALUE_TASKS);
	uint64_t n_b = comparison_item(c, list, row, c->n - 1, VALUE_TASKS);
	double stretch = list == LIST_KINDS ? comparison_stretch(c, row)
			 : a		    ? (double)b / (double)a
					    : 0;
	char change[SIGNED], tasks[48], ratio[32] = "-";
	struct row_shown shown = row_shown(width);
	int column = 0;

	for (int v = VALUE_WORK; v <= VALUE_APP; v++)
		column +=
			fprintf(out, " %8s%s",
				signed_time(change, comparison_value(c, list, row, (enum value)v)),
				mark_of(comparison_item_noise(c, list, row, (enum value)v)));
	if (stretch > 0 && b)
		snprintf(ratio, sizeof(ratio), "%.2f", stretch);
	if (n_a == n_b)
		snprintf(tasks, sizeof(tasks), "%" PRIu64, n_b);
	else
		snprintf(tasks, sizeof(tasks), "%" PRIu64 ">%" PRIu64, n_a, n_b);
	if (shown.work)
		column += fprintf(out, "%*s", WORK_COLUMNS, TIME_TEXT(b));
	if (shown.stretch)
		column += fprintf(out, "%*s", STRETCH_COLUMNS, ratio);
	if (shown.tasks)
		column += fprintf(out, " %*s", TASKS_COLUMNS - 1, tasks);
	column += fprintf(out, "  ");
	diff_item(out, matches_name(&c->list[list], row), column, width);
}

static void put_list(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	const char *by = list_name[shown->by];
	struct row_shown has = row_shown(shown->width);
	uint32_t n = 0;

	for (uint32_t row = 0; row < c->list[shown->by].n; row++)
		n += is_changed(c, shown->by, row);
	fprintf(out, "\n%score-seconds by %s%s, %s\n", shown->bold ? "\033[1m" : "", by,
		shown->bold ? "\033[0m" : "", n ? "what changed most first" : "nothing changed");
	if (n)
		fprintf(out, " %8s  %8s  %8s  %8s %s%s%s  %s\n", "work", "delay", "nw-sched",
			"nw-app", has.work ? " B's work" : "", has.stretch ? " stretch" : "",
			has.tasks ? "     tasks" : "", by);
	for (uint32_t row = 0, shows = 0; row < c->list[shown->by].n; row++) {
		if (!is_changed(c, shown->by, row))
			continue;
		if (shows++ == shown->n_most) {
			fprintf(out, " (%u more)\n", n - shown->n_most);
			return;
		}
		put_item(out, c, shown->by, row, shown->width);
	}
}

/* Work of each kind in every side, against the first or the baseline. */
static void put_work(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	uint32_t n_sides = c->n < SIDES_MOST ? c->n : SIDES_MOST;
	uint32_t most = (uint32_t)(shown->width - 2 - NAME_LEAST) / SIDE_COLUMNS;
	uint32_t base = c->baseline ? c->n : 0;

	n_sides = n_sides < most ? n_sides : most;
	fprintf(out, "\n%swork by kind%s, x that of %s\n", shown->bold ? "\033[1m" : "",
		shown->bold ? "\033[0m" : "", c->baseline ? "the baseline" : "A");
	for (uint32_t s = 0; s < n_sides; s++)
		fprintf(out, " %8s", LETTER(s));
	fputs("  kind\n", out);
	for (uint32_t row = 0; row < c->list[LIST_KINDS].n && row < shown->n_most; row++) {
		uint64_t a = comparison_item(c, LIST_KINDS, row, base, VALUE_WORK);
		int column = 2;

		for (uint32_t s = 0; s < n_sides; s++) {
			uint64_t b = comparison_item(c, LIST_KINDS, row, s, VALUE_WORK);

			column += a ? fprintf(out, " %8.2f", (double)b / (double)a)
				    : fprintf(out, " %8s", "-");
		}
		fputs("  ", out);
		diff_item(out, matches_name(&c->list[LIST_KINDS], row), column, shown->width);
	}
}

/* ---- findings, tasks ---- */

/* Lists of what was lost or waited for: the rows that differ, each with the time on both sides. */
static const struct timed_list {
	enum list list;
	enum value value;
	uint32_t n_most; /* rows */
	const char *title, *of;
} timed_list[] = {
	{ LIST_FINDINGS, VALUE_LOST, 6, "findings", "lost core time" },
	{ LIST_LOCKS, VALUE_WAIT, 5, "locks", "time that tasks waited" },
	{ LIST_WAITS, VALUE_WAIT, 5, "waits for tasks", "time that tasks waited" },
};

static void put_timed(FILE *out, const struct comparison *c, const struct diff_shown *shown,
		      const struct timed_list *of)
{
	const struct matches *list = &c->list[of->list];
	uint32_t n = 0;

	for (uint32_t row = 0; row < list->n && n < of->n_most; row++) {
		const struct item *item = matches_name(list, row);
		uint64_t a = comparison_item(c, of->list, row, 0, of->value);
		uint64_t b = comparison_item(c, of->list, row, c->n - 1, of->value);
		char change[SIGNED];
		int column;

		if (a == b)
			continue;
		if (n++ == 0)
			fprintf(out, "\n%s%s%s, %s: B - A, A, B\n", shown->bold ? "\033[1m" : "",
				of->title, shown->bold ? "\033[0m" : "", of->of);
		column = fprintf(out, " %9s %9s %9s  ", signed_time(change, (int64_t)(b - a)),
				 TIME_TEXT(a), TIME_TEXT(b));
		column += of->list == LIST_FINDINGS ? fprintf(out, "%-4s  %-8s ",
							      a ? b ? "" : "gone" : "new", item->id)
						    : fprintf(out, "%-10s ", item->id);
		diff_item(out, item, column, shown->width);
	}
}

#define TASK_COLUMNS 35 /* before the lineage */
#define PATH_COLUMNS 20 /* that a lineage is padded to */

static void put_task(FILE *out, const struct comparison *c, const struct stretch_task *at,
		     int width)
{
	const struct lineage *a = &comparison_base(c)->lineage;
	const struct lineage *b = &comparison_last(c)->lineage;
	const struct lineage_task *task = &b->task[at->b];
	int room = width - TASK_COLUMNS - 2 - NAME_LEAST, n;
	char path[LINEAGE_PATH];
	int column = fprintf(out, " %9s %9s  w%-3u %-6s  ", TIME_TEXT(a->task[at->a].work_ns),
			     TIME_TEXT(task->work_ns), task->worker,
			     task->flags & LINEAGE_STOLEN ? "stolen" : "");

	n = fit_cut(out, lineage_path(path, b, at->b),
		    room > DIFF_REST_LEAST ? room : DIFF_REST_LEAST);
	column += n + fprintf(out, "%*s",
			      n < PATH_COLUMNS && n < room
				      ? (room < PATH_COLUMNS ? room : PATH_COLUMNS) - n + 2
				      : 2,
			      "");
	diff_item(out, matches_name(&c->list[LIST_KINDS], at->row), column, width);
}

static void put_moved(FILE *out, const struct stretch_row *row)
{
	fprintf(out, "%" PRIu64 " task%s, stretch %.2f; not stolen: %" PRIu64 ", stretch %.2f",
		row->stolen.n, units_s(row->stolen.n), stretch_of(&row->stolen), row->local.n,
		stretch_of(&row->local));
}

#define KINDS_MOVED 5u /* lines for kinds */

/* What moving costs: of all tasks, and of each kind with tasks of both sorts, if they are several.
 */
static void put_stolen(FILE *out, const struct comparison *c)
{
	const struct stretch *stretch = &c->stretch;
	const char *where = c->n > 2 ? "the last" : "B";
	uint32_t n = 0;

	if (!stretch->sum.stolen.n || !stretch->sum.local.n)
		return;
	fprintf(out, "  stolen in %s: ", where);
	put_moved(out, &stretch->sum);
	fputc('\n', out);
	for (uint32_t row = 0; row < c->list[LIST_KINDS].n && n < KINDS_MOVED; row++) {
		const struct stretch_row *of = &stretch->row[row];

		if (!of->stolen.n || !of->local.n || of->all.n == stretch->sum.all.n)
			continue;
		fputs("    ", out);
		put_moved(out, of);
		fprintf(out, "  %s\n", ITEM_TEXT(matches_name(&c->list[LIST_KINDS], row)));
		n++;
	}
}

static void put_same(FILE *out, const void *of)
{
	const struct comparison *c = of;
	const struct stretch *stretch = &c->stretch;
	const struct side *base = comparison_base(c);

	fprintf(out,
		"the same tasks: %" PRIu64 " of %" PRIu64 " and %" PRIu64
		" matched by lineage; stretch %.2f\n",
		stretch->sum.all.n, base->lineage.n_explicit,
		comparison_last(c)->lineage.n_explicit, stretch_of(&stretch->sum.all));
	if (comparison_collapsed(c))
		fputs("  collapsed tasks are left out here: long and stolen ones remain\n", out);
	put_stolen(out, c);
	if (stretch->n_other)
		fprintf(out,
			"  %" PRIu64 " more have the same lineage and another kind: the order of "
			"creation differs\n",
			stretch->n_other);
}

static void put_tasks(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	const struct stretch *stretch = &c->stretch;

	if (!c->has_stretch || !stretch->sum.all.n)
		return;
	fputc('\n', out);
	fit_output(out, put_same, c, shown->width);
	for (uint32_t i = 0; i < stretch->n_most; i++)
		put_task(out, c, &stretch->most[i], shown->width);
}

/* ---- all ---- */

static void put_verdict(FILE *out, const struct comparison *c, bool bold, int width)
{
	fputs(bold ? "\033[1m" : "", out);
	diff_wrapped(out, why_put, c, width);
	fputs(bold ? "\033[0m" : "", out);
	diff_wrapped(out, why_put_notes, c, width);
}

static void put_baseline(FILE *out, const void *of)
{
	const struct comparison *c = of;

	fprintf(out,
		"  work against %s of a run without tasks:", TIME_TEXT(c->question.baseline_ns));
	for (uint32_t s = 0; s < c->n; s++)
		fprintf(out, "%s %s %.2f x", s ? "," : "", LETTER(s),
			(double)side_figure(&c->side[s], FIGURE_WORK) /
				(double)c->question.baseline_ns);
	fputc('\n', out);
}

void diff_screen(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	put_verdict(out, c, shown->bold, shown->width);
	fputc('\n', out);
	put_names(out, c, shown->width);
	put_sides(out, c, shown->width);
	if (c->question.baseline_ns) {
		fputc('\n', out);
		fit_output(out, put_baseline, c, shown->width);
	}
	if (c->n > 2) {
		put_work(out, c, shown);
		return;
	}
	put_figures(out, c, shown->width);
	for (size_t i = 0; i < sizeof(timed_list) / sizeof(timed_list[0]); i++)
		put_timed(out, c, shown, &timed_list[i]);
	put_list(out, c, shown);
	diff_counters_put(out, c, shown);
	put_tasks(out, c, shown);
}

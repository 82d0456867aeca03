/* SPDX-License-Identifier: MIT */
/* bounds_facts.c - the range of speed-ups as sentences, a table and JSON. */
#include "tools/report/bounds_facts.h"

#include <math.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/base/units.h"
#include "tools/summary/speedups.h"
#include "tools/table/fit.h"
#include "tools/table/column.h"

#define SENTENCE 400

static void find(struct bounds *bounds, const struct summary *summary)
{
	summary_bounds(bounds, summary, summary->curves ? speedups_widest(summary->curves) : 0);
}

/* ---- text ---- */

static void put_burden(FILE *out, const struct bounds *bounds, int width)
{
	char text[SENTENCE], time[3][UNITS_TIME], times[UNITS_TIMES];
	int n;

	if (!bounds->burden_known) {
		fit_words(out,
			  "no strand was handed over from one worker to another, so the cost of "
			  "a migration is unknown: --burden sets it",
			  0, 0, width);
		return;
	}
	n = snprintf(text, sizeof(text), "burdened span %s: a migration costs %s",
		     units_time(time[0], bounds->burdened_ns),
		     units_time(time[1], bounds->burden_ns));
	if (bounds->measured)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      " here (median; %s from one worker to another)",
			      units_times(times, bounds->n_handovers));
	if (bounds->burdened_most_ns > bounds->burdened_ns)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 "; up to %s if tasks migrate inside of collapsed ones as well",
			 units_time(time[2], bounds->burdened_most_ns));
	fit_words(out, text, 0, 0, width);
}

/* That paths are longer than any that is seen. */
static void put_unlinked(FILE *out, const struct defs *defs, int width)
{
	char text[SENTENCE];

	if (!defs_unlinked(defs))
		return;
	snprintf(text, sizeof(text), "span and speed-ups promise too much, without edges of %s",
		 defs_unlinked(defs));
	fit_words(out, text, 0, 0, width);
}

static void put_serial(FILE *out, const struct bounds *bounds, int width)
{
	char text[SENTENCE], time[UNITS_TIME];

	if (bounds->serial_ns <= bounds->span_ns)
		return;
	snprintf(text, sizeof(text),
		 "%s of the work are done under one lock, one task at a time: no number of workers "
		 "is more than %.2f times as fast as 1",
		 units_time(time, bounds->serial_ns),
		 (double)bounds->work_ns / (double)bounds->serial_ns);
	fit_words(out, text, 0, 0, width);
}

static void put_elapsed(FILE *out, const struct bounds *bounds, double speedup)
{
	char text[UNITS_TIME];

	if (speedup > 0)
		fprintf(out, " %9s",
			units_time(text, (uint64_t)((double)bounds->work_ns / speedup)));
	else
		fprintf(out, " %9s", "-");
}

/* What the columns of a table are. */
struct columns {
	const struct bounds *bounds;
	const struct speedups *curves; /* NULL */
	uint32_t n_workers;	       /* of the run */
	bool elapsed;		       /* of the bounds, too */
};

#define WITH_ELAPSED 73 /* columns */

static bool has_curve(const struct columns *columns, int c)
{
	return columns->curves && columns->curves->of[c].n;
}

static void put_speedup(FILE *out, bool known, double speedup)
{
	if (known)
		fprintf(out, " %9.2f", speedup);
	else
		fprintf(out, " %9s", "-");
}

static void put_bounds_line(FILE *out, const struct columns *columns,
			    const struct bounds_point *point)
{
	const struct bounds *bounds = columns->bounds;

	fprintf(out, "  %9u", point->workers);
	put_speedup(out, bounds->burden_known, point->lower);
	put_speedup(out, true, point->ideal);
	put_speedup(out, true, point->upper);
	for (int c = 0; c < SPEEDUPS; c++) {
		const struct speedup_point *at;

		if (!has_curve(columns, c))
			continue;
		at = speedup_at(&columns->curves->of[c], point->workers);
		put_speedup(out, at, at ? (double)bounds->work_ns / (double)at->elapsed_ns : 0);
	}
	if (columns->elapsed) {
		fputs("   ", out);
		put_elapsed(out, bounds, point->lower);
		put_elapsed(out, bounds, point->ideal);
		put_elapsed(out, bounds, point->upper);
	}
	fputc('\n', out);
}

static bool is_on_curve(const struct columns *columns, uint32_t workers)
{
	for (int c = 0; c < SPEEDUPS; c++)
		if (has_curve(columns, c) && speedup_at(&columns->curves->of[c], workers))
			return true;
	return false;
}

/* 1, 2, 4, .. workers, P, and the most; and those of the curves. */
static bool has_row(const struct columns *columns, uint32_t workers)
{
	return (workers & (workers - 1)) == 0 || workers == columns->n_workers ||
	       workers == columns->bounds->n_points || is_on_curve(columns, workers);
}

static void put_table(FILE *out, const struct columns *columns)
{
	const struct bounds *bounds = columns->bounds;

	fprintf(out, "\n  %9s %29s", "", "speed-up over 1 worker");
	fprintf(out, columns->elapsed ? "    %29s\n" : "\n", "elapsed");
	fprintf(out, "  %9s %9s %9s %9s", "workers", "lower", "ideal", "upper");
	for (int c = 0; c < SPEEDUPS; c++)
		if (has_curve(columns, c))
			fprintf(out, " %9s", speedups_name[c]);
	fprintf(out, columns->elapsed ? "    %9s %9s %9s\n" : "\n", "lower", "ideal", "upper");
	for (uint32_t i = 0; i < bounds->n_points; i++)
		if (has_row(columns, bounds->point[i].workers))
			put_bounds_line(out, columns, &bounds->point[i]);
}

/* "1.23 s", or "1.23 s (1.20 s to 1.26 s)" where that says more. */
static void put_time(FILE *out, const struct speedup_point *at, int width)
{
	char time[UNITS_TIME], low[UNITS_TIME], high[UNITS_TIME], text[3 * UNITS_TIME + 8] = "-";

	if (at) {
		units_time(time, at->elapsed_ns);
		units_time(low, at->low_ns);
		units_time(high, at->high_ns);
		snprintf(text, sizeof(text), "%s (%s to %s)", time, low, high);
	}
	if (at && strcmp(low, high) == 0)
		snprintf(text, sizeof(text), "%s", time);
	fprintf(out, " %*s", width, text);
}

/* The same curves as times, with their intervals. */
static void put_times(FILE *out, const struct columns *columns, int width)
{
	fprintf(out, "\n  %9s", "workers");
	for (int c = 0; c < SPEEDUPS; c++)
		if (has_curve(columns, c))
			fprintf(out, " %*s", c == SPEEDUPS_MEASURED ? 9 : 30, speedups_name[c]);
	fputc('\n', out);
	for (uint32_t i = 0; i < columns->bounds->n_points; i++) {
		uint32_t workers = columns->bounds->point[i].workers;

		if (!is_on_curve(columns, workers))
			continue;
		fprintf(out, "  %9u", workers);
		for (int c = 0; c < SPEEDUPS; c++)
			if (has_curve(columns, c))
				put_time(out, speedup_at(&columns->curves->of[c], workers),
					 c == SPEEDUPS_MEASURED ? 9 : 30);
		fputc('\n', out);
	}
	if (has_curve(columns, SPEEDUPS_SIMULATED))
		fit_words(out, "simulated: the median of several runs, the least and the most", 0,
			  0, width);
	if (has_curve(columns, SPEEDUPS_PREDICTED))
		fit_words(out, "predicted: with an interval of 90 %; tptrace predict has more", 0,
			  0, width);
}

/* How many workers pay. */
static void put_enough(FILE *out, const struct bounds *bounds, int width)
{
	char text[SENTENCE];
	double best = (double)bounds->work_ns / (double)bounds->span_ns;
	int n;

	if (!bounds->n_enough || bounds->serial_ns > bounds->span_ns)
		return;
	n = snprintf(text, sizeof(text),
		     "%u worker%s reach%s %.0f %% of the best speed-up, %.2f, if strands move at "
		     "no cost",
		     bounds->n_enough, bounds->n_enough == 1 ? "" : "s",
		     bounds->n_enough == 1 ? "es" : "", 100 * BOUNDS_PART, best);
	if (bounds->inside_ns)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 "; %.0f %% of the work is inside of collapsed tasks, whose span is known, "
			 "and whose parallelism is taken as even",
			 100 * (double)bounds->inside_ns / (double)bounds->work_ns);
	fputc('\n', out);
	fit_words(out, text, 0, 0, width);
}

void bounds_put(FILE *out, const struct summary *summary, const struct look *look)
{
	AT_END(bounds_free) struct bounds bounds;
	struct columns columns = { .bounds = &bounds, .curves = summary->curves };
	char time[2][UNITS_TIME];

	find(&bounds, summary);

	fprintf(out, "%show fast these tasks could be%s\n", look->bold ? "\033[1m" : "",
		look->bold ? "\033[0m" : "");
	if (!bounds.n_points) {
		fprintf(out, "no work was recorded\n");
		return;
	}
	if (machine_inflates(&summary->run->machine, &summary->machine.total, summary->dag))
		fit_words(out,
			  "work and span contain waits for CPUs: speed-ups are unreliable, and "
			  "elapsed is too long",
			  0, 0, (int)look->width);
	fprintf(out, "work %s, span %s, parallelism %.1f\n", units_time(time[0], bounds.work_ns),
		units_time(time[1], bounds.span_ns),
		(double)bounds.work_ns / (double)bounds.span_ns);
	put_burden(out, &bounds, (int)look->width);
	put_serial(out, &bounds, (int)look->width);
	put_unlinked(out, summary->defs, (int)look->width);
	columns.n_workers = summary->dag->n_workers;
	columns.elapsed = !summary->curves && look->width >= WITH_ELAPSED;
	put_table(out, &columns);
	if (summary->curves)
		put_times(out, &columns, (int)look->width);
	put_enough(out, &bounds, (int)look->width);
}

/* ---- JSON ---- */

#define CURVE(field) .type = COLUMN_NS, COLUMN_FIELD(struct speedup_point, field)

static const struct column curve_column[] = {
	{ "workers", COLUMN_FIELD(struct speedup_point, workers) },
	{ "elapsed_ns", CURVE(elapsed_ns) },
	{ "low_ns", CURVE(low_ns) },
	{ "high_ns", CURVE(high_ns) },
};

static void put_curves(struct json *to, const struct speedups *curves)
{
	json_open(to, "curves", '{');
	for (int c = 0; c < SPEEDUPS; c++)
		if (curves->of[c].n)
			table_put_json(to, &(struct table){ .name = speedups_name[c],
							    TABLE_COLUMNS(curve_column),
							    TABLE_ROWS(curves->of[c].point,
								       curves->of[c].n) });
	json_close(to, '}');
}

CELL_OF(double, lower, struct bounds, table->of,
	its->burden_known ? its->point[row].lower : (double)NAN)

#define POINT(field) COLUMN_FIELD(struct bounds_point, field)
#define SPEEDUP .type = COLUMN_REAL, .format = "%.4f"

static const struct column speedup_column[] = {
	{ "workers", POINT(workers) },
	{ "lower", SPEEDUP, .real = lower },
	{ "ideal", SPEEDUP, POINT(ideal) },
	{ "upper", SPEEDUP, POINT(upper) },
};

void bounds_put_json(FILE *out, const struct summary *summary)
{
	struct json json = { out, true }, *to = &json;
	AT_END(bounds_free) struct bounds bounds;

	find(&bounds, summary);

	json_open(to, "bounds", '{');
	JSON_NUMBERS(to, { "work_ns", bounds.work_ns }, { "span_ns", bounds.span_ns },
		     { "serial_ns", bounds.serial_ns },
		     { "migration_ns", bounds.burden_known ? bounds.burden_ns : JSON_UNKNOWN });
	json_bool(to, "measured", bounds.measured);
	JSON_NUMBERS(
		to, { "handovers", bounds.measured ? bounds.n_handovers : JSON_UNKNOWN },
		{ "burdened_span_ns", bounds.burden_known ? bounds.burdened_ns : JSON_UNKNOWN },
		{ "burdened_span_most_ns",
		  bounds.burden_known ? bounds.burdened_most_ns : JSON_UNKNOWN },
		{ "inside_collapsed_ns", bounds.inside_ns },
		{ "workers_95", bounds.n_enough ? bounds.n_enough : JSON_UNKNOWN });
	table_put_json(to, &(struct table){ .name = "speedup",
					    TABLE_COLUMNS(speedup_column),
					    .of = &bounds,
					    TABLE_ROWS(bounds.point, bounds.n_points) });
	if (summary->curves)
		put_curves(to, summary->curves);
	json_close(to, '}');
}

/* SPDX-License-Identifier: MIT */
/* bounds_facts.c - the range of speed-ups as sentences, a table and JSON. */
#include "tools/report/bounds_facts.h"

#include <inttypes.h>

#include "tools/analysis/bounds.h"
#include "tools/base/units.h"
#include "tools/report/fit.h"

#define SENTENCE 400

static int find(struct bounds *bounds, const struct summary *summary)
{
	return bounds_find(bounds, summary->dag, run_selected(summary->run),
			   summary->breakdown.total.work_ns, summary->burden_ns);
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

static void put_elapsed(FILE *out, const struct bounds *bounds, double speedup)
{
	char text[UNITS_TIME];

	if (speedup > 0)
		fprintf(out, " %9s",
			units_time(text, (uint64_t)((double)bounds->work_ns / speedup)));
	else
		fprintf(out, " %9s", "-");
}

#define WITH_ELAPSED 73 /* columns */

static void put_row(FILE *out, const struct bounds *bounds, const struct bounds_point *point,
		    bool elapsed)
{
	fprintf(out, "  %9u", point->workers);
	if (bounds->burden_known)
		fprintf(out, " %9.2f", point->lower);
	else
		fprintf(out, " %9s", "-");
	fprintf(out, " %9.2f %9.2f", point->ideal, point->upper);
	if (elapsed) {
		fputs("   ", out);
		put_elapsed(out, bounds, point->lower);
		put_elapsed(out, bounds, point->ideal);
		put_elapsed(out, bounds, point->upper);
	}
	fputc('\n', out);
}

/* 1, 2, 4, .. workers, P, and the most. */
static void put_table(FILE *out, const struct bounds *bounds, unsigned width)
{
	bool elapsed = width >= WITH_ELAPSED;

	fprintf(out, "\n  %9s %29s", "", "speed-up over 1 worker");
	fprintf(out, elapsed ? "    %29s\n" : "\n", "elapsed");
	fprintf(out, "  %9s %9s %9s %9s", "workers", "lower", "ideal", "upper");
	fprintf(out, elapsed ? "    %9s %9s %9s\n" : "\n", "lower", "ideal", "upper");
	for (uint32_t i = 0; i < bounds->n_points; i++) {
		uint32_t n = bounds->point[i].workers;

		if ((n & (n - 1)) == 0 || n == bounds->n_points / BOUNDS_WIDTHS ||
		    n == bounds->n_points)
			put_row(out, bounds, &bounds->point[i], elapsed);
	}
}

/* How many workers pay. */
static void put_enough(FILE *out, const struct bounds *bounds, int width)
{
	char text[SENTENCE];
	double best = (double)bounds->work_ns / (double)bounds->span_ns;
	int n;

	if (!bounds->n_enough)
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

int bounds_put(FILE *out, const struct summary *summary, const struct look *look)
{
	struct bounds bounds;
	char time[2][UNITS_TIME];
	int error = find(&bounds, summary);

	if (error)
		return error;
	fprintf(out, "%show fast these tasks could be%s\n", look->bold ? "\033[1m" : "",
		look->bold ? "\033[0m" : "");
	if (!bounds.n_points) {
		fprintf(out, "no work was recorded\n");
		return 0;
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
	put_table(out, &bounds, look->width);
	put_enough(out, &bounds, (int)look->width);
	bounds_free(&bounds);
	return 0;
}

/* ---- JSON ---- */

static void put_known(FILE *out, const char *key, uint64_t value, bool known)
{
	if (known)
		fprintf(out, ",\"%s\":%" PRIu64, key, value);
	else
		fprintf(out, ",\"%s\":null", key);
}

int bounds_put_json(FILE *out, const struct summary *summary)
{
	struct bounds bounds;
	int error = find(&bounds, summary);

	if (error)
		return error;
	fprintf(out, ",\"bounds\":{\"work_ns\":%" PRIu64 ",\"span_ns\":%" PRIu64, bounds.work_ns,
		bounds.span_ns);
	put_known(out, "migration_ns", bounds.burden_ns, bounds.burden_known);
	fprintf(out, ",\"measured\":%s", bounds.measured ? "true" : "false");
	put_known(out, "handovers", bounds.n_handovers, bounds.measured);
	put_known(out, "burdened_span_ns", bounds.burdened_ns, bounds.burden_known);
	put_known(out, "burdened_span_most_ns", bounds.burdened_most_ns, bounds.burden_known);
	put_known(out, "inside_collapsed_ns", bounds.inside_ns, true);
	put_known(out, "workers_95", bounds.n_enough, bounds.n_enough > 0);
	fputs(",\"speedup\":[", out);
	for (uint32_t i = 0; i < bounds.n_points; i++) {
		const struct bounds_point *point = &bounds.point[i];

		fprintf(out, "%s{\"workers\":%u,\"lower\":", i ? "," : "", point->workers);
		fprintf(out, bounds.burden_known ? "%.4f" : "null", point->lower);
		fprintf(out, ",\"ideal\":%.4f,\"upper\":%.4f}", point->ideal, point->upper);
	}
	fputs("]}", out);
	bounds_free(&bounds);
	return 0;
}

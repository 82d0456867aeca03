/* SPDX-License-Identifier: MIT */
/* forecast_put.c - the tables of a forecast, and all of it as one line of JSON. */
#include <inttypes.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/units.h"
#include "tools/model/forecast.h"
#include "tools/model/scaling.h"
#include "tools/base/ratio.h"
#include "tools/table/column.h"

/* ---- points: a row for each number of workers ---- */

CELL(const void *, of, void, table->of)

CELL(uint64_t, no_work_ns, struct point,
     above(its->outcome.elapsed_ns * its->n_workers, its->outcome.work_ns + its->outcome.delay_ns))

CELL(uint64_t, bound_ns, struct point, forecast_bound(table->of, its->n_workers))

static double percent_of_all(const struct table *table, uint32_t row, uint64_t part)
{
	const struct point *point = table_row(table, row);
	uint64_t all = point->outcome.elapsed_ns * point->n_workers;

	return all ? 100 * (double)part / (double)all : 0;
}

CELL(double, work, struct point, percent_of_all(table, row, its->outcome.work_ns))

CELL(double, delay, struct point, percent_of_all(table, row, its->outcome.delay_ns))

CELL(double, no_work, void, percent_of_all(table, row, no_work_ns(table, row)))

static double speedup(const struct table *table, uint32_t row)
{
	const struct point *point = table_row(table, row);
	uint64_t work_ns = ((const struct forecast_row *)table->of)->work_ns;

	return point->outcome.elapsed_ns ? (double)work_ns / (double)point->outcome.elapsed_ns : 0;
}

CELL(double, efficiency, struct point, 100 * speedup(table, row) / its->n_workers)

static const char *range(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct point *point = table_row(table, row);

	snprintf(out, TABLE_TEXT, "%s - %s", TIME_TEXT(point->low_ns), TIME_TEXT(point->high_ns));
	return out;
}

static const char *label(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	snprintf(out, TABLE_TEXT, "%7u", ((const struct point *)table_row(table, row))->n_workers);
	return out;
}

#define LABEL 7 /* columns */
#define POINT(field) COLUMN_FIELD(struct point, field)
#define FORECAST(field) .within = of, COLUMN_FIELD(struct forecast_row, field)
#define TIME(field) .type = COLUMN_NS, POINT(field)
/* The last ones are left out first. */
#define DROP(number) .drop = (number), .name_least = LABEL
#define SHARE(which) .type = COLUMN_SHARE, .real = which

static const struct column point_column[] = {
	{ "workers", NULL, POINT(n_workers) },
	{ "policy", NULL, .type = COLUMN_TEXT, FORECAST(policy.name) },
	{ "elapsed_ns", "elapsed", TIME(outcome.elapsed_ns), .width = 10 },
	{ "low_ns", NULL, TIME(low_ns) },
	{ "high_ns", NULL, TIME(high_ns) },
	{ "work_ns", NULL, TIME(outcome.work_ns) },
	{ "delay_ns", NULL, TIME(outcome.delay_ns) },
	{ "no_work_ns", NULL, .number = no_work_ns },
	{ "runtime_ns", NULL, TIME(outcome.runtime_ns) },
	{ "blocked_ns", NULL, TIME(outcome.blocked_ns) },
	{ "span_ns", NULL, FORECAST(span_ns) },
	{ "bound_ns", "bound", .type = COLUMN_NS, .number = bound_ns, .width = 10 },
	{ NULL, "speed-up", .type = COLUMN_REAL, .real = speedup, .shown = "%*.2f", .width = 9 },
	{ NULL, "efficy", SHARE(efficiency), .shown = "%*.0f%%", .width = 8 },
	{ NULL, "work", SHARE(work), .width = 8, DROP(1) },
	{ NULL, "delay", SHARE(delay), .width = 8, DROP(2) },
	{ NULL, "no-work", SHARE(no_work), .width = 8, DROP(3) },
	{ "steals", "steals", POINT(outcome.n_steals), .width = 9, DROP(4) },
	{ NULL, "least - most", .type = COLUMN_TEXT, .text = range, .width = 22, DROP(5) },
	{ "run_at_once", NULL, POINT(outcome.n_at_once) },
	{ "forced", NULL, POINT(outcome.n_forced) },
};

static struct table forecast_points(const struct forecast *forecast, const struct forecast_row *row)
{
	return (struct table){ .name = "points",
			       .title = "workers",
			       TABLE_COLUMNS(point_column),
			       .of = row,
			       TABLE_ROWS(row->point, forecast->n_points),
			       .label = label,
			       .names_least = LABEL,
			       .names_most = LABEL };
}

/* ---- the screen ---- */

#define CPU_WAIT_PART 20u /* so much of elapsed x P is worth a line */

static const struct forecast_row *last_row(const struct forecast *forecast)
{
	return &forecast->row[forecast->n_rows - 1];
}

static void put_forecast_head(FILE *out, const struct forecast *forecast)
{
	const struct forecast_row *row = last_row(forecast);

	fprintf(out, "recorded: %s on %u worker%s%s%s   simulated: policy %s, %u %s each\n",
		TIME_TEXT(forecast->dag->elapsed_ns), forecast->dag->n_workers,
		units_s(forecast->dag->n_workers), forecast->runtime ? " of " : "",
		forecast->runtime ? forecast->runtime : "", row->policy.name, forecast->n_runs,
		forecast->n_runs == 1 ? "run" : "runs");
	if (forecast->n_rows > 1) /* the table is of this one */
		fprintf(out, "with %s: ", row->what);
	fprintf(out, "work %s, span %s: parallelism %.1f\n\n", TIME_TEXT(row->work_ns),
		TIME_TEXT(row->span_ns), ratio(row->work_ns, row->span_ns));
}

/* ---- what if ---- */

/* Within what chance alone does. */
static bool is_noise(const struct forecast *forecast, uint32_t row, uint32_t i)
{
	const struct point *a = &forecast->row[0].point[i], *b = &forecast->row[row].point[i];

	return a->low_ns <= b->high_ns && b->low_ns <= a->high_ns;
}

/* The points of a table that stand beside each other. */
struct columns {
	uint32_t from, to;
	bool apart; /* what a row is stands on a line of its own, above it */
};

static void put_change(FILE *out, const struct forecast *forecast, uint32_t row,
		       const struct columns *columns)
{
	if (columns->apart)
		fprintf(out, "%s\n", forecast->row[row].what);
	for (uint32_t i = columns->from; i < columns->to; i++) {
		uint64_t ns = forecast_elapsed(forecast, row, i);
		double gain = 100 * (ratio(ns, forecast_elapsed(forecast, 0, i)) - 1);

		fprintf(out, " %9s", TIME_TEXT(ns));
		if (row == 0 && columns->apart && i + 1 == columns->to)
			break;
		if (row == 0)
			fprintf(out, "%7s", "");
		else if (is_noise(forecast, row, i))
			fprintf(out, "%7s", "~");
		else
			fprintf(out, " %+5.0f%%", gain);
	}
	if (!columns->apart)
		fprintf(out, "  %s", forecast->row[row].what);
	fputc('\n', out);
}

#define PAYS_LEAST .005 /* of elapsed time: less is not worth a change */

/* The first of the numbers of workers from which on the change pays, at all of them. */
static uint32_t pays_from(const struct forecast *forecast, uint32_t row)
{
	uint32_t from = forecast->n_points;

	while (from > 0 && !is_noise(forecast, row, from - 1) &&
	       ratio(forecast_elapsed(forecast, row, from - 1),
		     forecast_elapsed(forecast, 0, from - 1)) < 1 - PAYS_LEAST)
		from--;
	return from;
}

#define LOST_LITTLE .05 /* of the workers' time */

/* What holds the run back once the change is made: where most of the workers' time goes that is not
 * work. */
static void put_next_cause(FILE *out, const struct point *point)
{
	const struct outcome *of = &point->outcome;
	uint64_t all = of->elapsed_ns * point->n_workers, lost = above(all, of->work_ns);
	const struct {
		const char *to;
		uint64_t ns;
	} cause[] = {
		{ "locks", of->blocked_ns },
		{ "the runtime", of->runtime_ns },
		{ "ready tasks that nobody took", above(of->delay_ns, of->runtime_ns) },
		{ "too little parallelism", above(above(lost, of->delay_ns), of->blocked_ns) },
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(cause) / sizeof(cause[0]); i++)
		most = cause[i].ns > cause[most].ns ? i : most;
	if (ratio(lost, all) < LOST_LITTLE)
		fprintf(out, "; on %u then %.0f %% is work\n", point->n_workers,
			100 * ratio(of->work_ns, all));
	else
		fprintf(out, "; on %u then %.0f %% is lost, most of it to %s\n", point->n_workers,
			100 * ratio(lost, all), cause[most].to);
}

#define CHANGE_COLUMN 17u /* of a point: its time, and what is gained */

/* As many points from there on as the width has room for, and at least one. */
static struct columns columns_from(const struct forecast *forecast, uint32_t from, unsigned width)
{
	struct columns columns = { .from = from };
	size_t longest = 0;
	uint32_t n;

	for (uint32_t row = 0; row < forecast->n_rows; row++)
		if (strlen(forecast->row[row].what) > longest)
			longest = strlen(forecast->row[row].what);
	columns.apart = longest + 2 + CHANGE_COLUMN * forecast->n_points > width;
	n = columns.apart ? width / CHANGE_COLUMN : forecast->n_points;
	columns.to = from + (n ? n : 1);
	if (columns.to > forecast->n_points)
		columns.to = forecast->n_points;
	return columns;
}

static void put_table(FILE *out, const struct forecast *forecast, const struct columns *columns)
{
	char text[24];

	for (uint32_t i = columns->from; i < columns->to; i++) {
		snprintf(text, sizeof(text), "%u", forecast->workers[i]);
		fprintf(out, " %9s", text);
		if (i + 1 < columns->to)
			fprintf(out, "%7s", "");
	}
	fputc('\n', out);
	for (uint32_t row = 0; row < forecast->n_rows; row++)
		put_change(out, forecast, row, columns);
}

static void put_changes(FILE *out, const struct forecast *forecast, unsigned width)
{
	struct columns columns;

	fprintf(out, "\nelapsed by change and workers (~ within chance)\n");
	for (uint32_t i = 0; i < forecast->n_points; i = columns.to) {
		columns = columns_from(forecast, i, width);
		if (i)
			fputc('\n', out);
		put_table(out, forecast, &columns);
	}
	for (uint32_t row = 1; row < forecast->n_rows; row++) {
		uint32_t from = pays_from(forecast, row);

		if (from == forecast->n_points)
			fprintf(out, "%s does not pay on %u worker%s", forecast->row[row].what,
				forecast->workers[from - 1], units_s(forecast->workers[from - 1]));
		else
			fprintf(out, "%s pays from %u worker%s on", forecast->row[row].what,
				forecast->workers[from], units_s(forecast->workers[from]));
		put_next_cause(out, &forecast->row[row].point[forecast->n_points - 1]);
	}
}

/* ---- what to know ---- */

/* How far the simulation of the recorded run is from that run, if it is one of the points. */
static void put_check(FILE *out, const struct forecast *forecast)
{
	uint64_t recorded = forecast->dag->elapsed_ns;

	for (uint32_t i = 0; i < forecast->n_points && forecast->own_policy; i++) {
		if (forecast->workers[i] != forecast->dag->n_workers)
			continue;
		fprintf(out, "\nthe recorded run, simulated: %s, %+.1f %%\n",
			TIME_TEXT(forecast_elapsed(forecast, 0, i)),
			100 * (ratio(forecast_elapsed(forecast, 0, i), recorded) - 1));
	}
	if (forecast->cpu_wait_ns > recorded * forecast->dag->n_workers / CPU_WAIT_PART)
		fprintf(out,
			"workers waited %.0f %% of the recorded time for a CPU, which looks like "
			"work and costs here; record on an idle machine\n",
			percent(forecast->cpu_wait_ns, recorded * forecast->dag->n_workers));
}

#define FITS_SHOWN 8u

static uint64_t group_work(const struct fit_group *group)
{
	return group->sum_ns + group->first_sum_ns;
}

/* Of those that were tried; FAMILY_EMPIRICAL if none was. */
static enum family nearest(const struct fit_group *group)
{
	enum family best = FAMILY_EMPIRICAL;

	for (enum family f = FAMILY_NORMAL; f < FAMILIES; f++)
		if (group->fit[f].p > 0 && (best == FAMILY_EMPIRICAL ||
					    group->fit[f].distance < group->fit[best].distance))
			best = f;
	return best;
}

#define FIT_WIDTH 120u /* below that, what times are drawn from stands below the rest */
#define FIT_KIND 20    /* columns */
#define FIT_KIND_LEAST 15

static int fit_kind(unsigned width)
{
	return width < FIT_WIDTH ? FIT_KIND_LEAST : FIT_KIND;
}

static void put_fit(FILE *out, const struct forecast *forecast, const struct fit_group *group,
		    unsigned width)
{
	enum family family = group->family;
	char where[64];
	uint64_t n = group->n ? group->n : group->n_first;

	snprintf(where, sizeof(where), "%s, %s", fit_begin_name[group->begin],
		 fit_end_name[group->end]);
	fprintf(out, "%-*.*s %-24s %8" PRIu64 " %9s%s", fit_kind(width), fit_kind(width),
		forecast->kind_name[group->kind], where, n,
		TIME_TEXT((group->n ? group->sum_ns : group->first_sum_ns) / n),
		width < FIT_WIDTH ? "\n    " : "  ");
	if (family == FAMILY_EMPIRICAL) {
		family = nearest(group);
		fprintf(out, "the times%s", family ? ": not " : "");
	}
	if (family)
		fprintf(out, "%s(%.4g, %.4g), D = %.3f, p = %.2f", family_name[family],
			group->fit[family].a, group->fit[family].b, group->fit[family].distance,
			group->fit[family].p);
	fputc('\n', out);
}

/* The groups with the most work. */
static void put_fits(FILE *out, const struct forecast *forecast, unsigned width)
{
	uint64_t below = UINT64_MAX;
	uint32_t n = 0;

	if (!forecast->fitted)
		return;
	fprintf(out,
		"\ntimes are drawn, ns; each worker's first strand apart\n"
		"%-*s %-24s %8s %9s%s",
		fit_kind(width), "kind", "strands that", "n", "mean",
		width < FIT_WIDTH ? "\n" : "  from\n");
	while (n < FITS_SHOWN) {
		uint64_t most = 0;

		for (uint32_t g = 0; g < forecast->fits.n; g++) {
			uint64_t work = group_work(&forecast->fits.group[g]);

			if (work < below && work > most)
				most = work;
		}
		if (!most)
			break;
		for (uint32_t g = 0; g < forecast->fits.n; g++)
			if (group_work(&forecast->fits.group[g]) == most) {
				put_fit(out, forecast, &forecast->fits.group[g], width);
				n++;
			}
		below = most;
	}
	if (n < forecast->fits.n)
		fprintf(out, "and %u more, with less work (--json has all)\n",
			forecast->fits.n - n);
}

/* Whether collapsed tasks run whole on some of the points, on all of them, .. */
struct keeping {
	bool some, all;
};

static struct keeping keeping_of(const struct forecast *forecast, const struct forecast_row *row)
{
	struct keeping keeping = { false, true };

	for (uint32_t i = 0; i < forecast->n_points; i++)
		if (!forecast->n_parted ||
		    forecast_keeps_whole(forecast, row, forecast->workers[i]))
			keeping.some = true;
		else
			keeping.all = false;
	return keeping;
}

/* Of the table's row; what other rows do otherwise, besides. */
static void put_collapsed_note(FILE *out, const struct forecast *forecast)
{
	const struct dag *dag = forecast->dag;
	struct keeping row = keeping_of(forecast, last_row(forecast));
	struct keeping recorded = keeping_of(forecast, &forecast->row[0]);

	if (!dag->n_collapsed)
		return;
	fprintf(out, "\n%u strand%s for %" PRIu64 " collapsed task%s", dag->n_collapsed,
		dag->n_collapsed == 1 ? " stands" : "s stand", dag->n_collapsed_tasks,
		units_s(dag->n_collapsed_tasks));
	if (!forecast->n_parted)
		fprintf(out, ": they run whole");
	else if (row.some)
		fprintf(out, ": on up to %u worker%s they run whole, as they did", dag->n_workers,
			units_s(dag->n_workers));
	if (!row.all)
		fprintf(out,
			"%s %" PRIu64 " run in equal parts, as wide as their work / span, and "
			"steals inside of them are guessed (`record --collapse off` keeps all)",
			row.some ? "; on more," : ":", forecast->n_parted);
	if (recorded.some && !row.some)
		fprintf(out,
			"; with steals as recorded they run whole on up to %u worker%s, as "
			"they did",
			dag->n_workers, units_s(dag->n_workers));
	fputc('\n', out);
}

static void put_notes(FILE *out, const struct forecast *forecast)
{
	const struct dag *dag = forecast->dag;
	const struct forecast_row *row = last_row(forecast);
	uint64_t n_forced = 0;

	if (forecast->n_never)
		fprintf(out,
			"\n%u of %u workers ran nothing in the recorded run, and stay away on %u "
			"workers here\n",
			forecast->n_never, dag->n_workers, dag->n_workers);
	if (forecast->no_steal)
		fprintf(out,
			"\nidle workers stole nothing that they could have, and do not on %u "
			"workers here\n",
			dag->n_workers);
	if (forecast->stands_in[LEAD_TAKE] && forecast->stands_in[LEAD_WAKE])
		fprintf(out,
			"\nno steal was recorded, but for what workers began with: a steal costs "
			"what a begin does; a longer trace of two workers tells more\n");
	if (forecast->unlinked)
		fprintf(out,
			"\nthe simulation does not keep the order of %s: times may be too short\n",
			forecast->unlinked);
	put_collapsed_note(out, forecast);
	for (uint32_t i = 0; i < forecast->n_points; i++)
		n_forced += row->point[i].outcome.n_forced;
	if (n_forced)
		fprintf(out,
			"\n%" PRIu64 " strands ran though the policy bars them: all workers were "
			"stuck otherwise\n",
			n_forced);
}

void forecast_screen(FILE *out, const struct forecast *forecast, unsigned width)
{
	struct table points = forecast_points(forecast, last_row(forecast));

	put_forecast_head(out, forecast);
	table_put_text(out, &points,
		       &(struct look){ .width = width, .n_most = forecast->n_points });
	if (forecast->scaling)
		scaling_screen(out, forecast->scaling, forecast->workers, forecast->n_points);
	if (forecast->n_rows > 1)
		put_changes(out, forecast, width);
	put_fits(out, forecast, width);
	put_check(out, forecast);
	put_notes(out, forecast);
}

/* ---- JSON ---- */

static void put_points(struct json *to, const struct forecast *forecast,
		       const struct forecast_row *row)
{
	struct table table = forecast_points(forecast, row);

	table_put_json(to, &table);
}

CELL_TEXT(kind, struct fit_group, ((const struct forecast *)table->of)->kind_name[its->kind])

static void put_families(struct json *to, const struct table *table, uint32_t row)
{
	const struct fit_group *group = table_row(table, row);

	for (enum family f = FAMILY_NORMAL; f < FAMILIES; f++) {
		json_open(to, family_name[f], '{');
		JSON_REALS(to, "%.9g", { "a", group->fit[f].a }, { "b", group->fit[f].b });
		json_real(to, "distance", "%.6f", group->fit[f].distance);
		json_real(to, "p", "%.2f", group->fit[f].p);
		json_close(to, '}');
	}
}

#define FIT(field) COLUMN_FIELD(struct fit_group, field)
#define FIT_WORD(field, words) .type = COLUMN_TEXT, FIT(field), .word = words

static const struct column fit_column[] = {
	{ "kind", .type = COLUMN_TEXT, .text = kind },
	{ "begins", FIT_WORD(begin, fit_begin_name) },
	{ "ends", FIT_WORD(end, fit_end_name) },
	{ "n", FIT(n) },
	{ "sum_ns", FIT(sum_ns) },
	{ "first_n", FIT(n_first) },
	{ "first_sum_ns", FIT(first_sum_ns) },
	{ "family", FIT_WORD(family, family_name) },
};

static void put_json_fits(struct json *to, const struct forecast *forecast)
{
	table_put_json(to, &(struct table){ .name = "fits",
					    TABLE_COLUMNS(fit_column),
					    .of = forecast,
					    TABLE_ROWS(forecast->fits.group, forecast->fits.n),
					    .members = put_families });
}

static void put_recorded(struct json *to, const struct forecast *forecast)
{
	const struct dag *dag = forecast->dag;

	json_open(to, "recorded", '{');
	JSON_NUMBERS(to, { "workers", dag->n_workers }, { "elapsed_ns", dag->elapsed_ns },
		     { "tasks", dag->n_tasks + dag->n_collapsed_tasks },
		     { "collapsed_tasks", dag->n_collapsed_tasks },
		     { "workers_away", forecast->n_never });
	json_close(to, '}');
}

void forecast_json(FILE *out, const struct forecast *forecast)
{
	struct json to;

	json_begin(&to, out);
	put_recorded(&to, forecast);
	JSON_NUMBERS(&to, { "locks", forecast->n_locks }, { "runs", forecast->n_runs });
	if (forecast->unlinked)
		json_text(&to, "unlinked", forecast->unlinked);
	put_points(&to, forecast, &forecast->row[forecast->n_rows - 1]);
	json_open(&to, "changes", '[');
	for (uint32_t i = 0; forecast->n_rows > 1 && i < forecast->n_rows; i++) {
		json_open(&to, NULL, '{');
		json_text(&to, "change", forecast->row[i].what);
		put_points(&to, forecast, &forecast->row[i]);
		json_close(&to, '}');
	}
	json_close(&to, ']');
	if (forecast->fitted)
		put_json_fits(&to, forecast);
	if (forecast->scaling)
		scaling_json(&to, forecast->scaling, forecast->workers, forecast->n_points);
	json_end(&to);
}

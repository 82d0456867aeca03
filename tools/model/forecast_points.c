/* SPDX-License-Identifier: MIT */
/* forecast_points.c - the columns of a forecast's points. */
#include "tools/model/forecast_points.h"

#include <inttypes.h>

#include "tools/base/at_most.h"
#include "tools/base/units.h"

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
	char time[2][UNITS_TIME];

	snprintf(out, TABLE_TEXT, "%s - %s", units_time(time[0], point->low_ns),
		 units_time(time[1], point->high_ns));
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

struct table forecast_points(const struct forecast *forecast, const struct forecast_row *row)
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

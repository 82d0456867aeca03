/* SPDX-License-Identifier: MIT */
/* forecast_json.c - a forecast as one line of JSON; times are integers of ns. */
#include "tools/model/forecast_points.h"
#include "tools/model/scaling.h"

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

static void put_fits(struct json *to, const struct forecast *forecast)
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
		put_fits(&to, forecast);
	if (forecast->scaling)
		scaling_json(&to, forecast->scaling, forecast->workers, forecast->n_points);
	json_end(&to);
}

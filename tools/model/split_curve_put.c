/* SPDX-License-Identifier: MIT */
/* split_curve_put.c - a table over parts, and the bends below it. */
#include "tools/model/split_curve.h"

#include "tools/base/units.h"
#include "tools/table/json.h"
#include "tools/base/ratio.h"

static void put_parts_line(FILE *out, const struct split_curve_shown *shown, uint32_t row)
{
	const struct forecast *forecast = shown->forecast;
	uint64_t span = split_curve_span(shown->curve, shown->parts[row]);

	fprintf(out, "%7u %9s %11.1f", shown->parts[row], TIME_TEXT(span),
		ratio(forecast->row[0].work_ns, span));
	for (uint32_t i = 0; i < forecast->n_points; i++)
		fprintf(out, " %9s", TIME_TEXT(forecast_elapsed(forecast, row, i)));
	fputc('\n', out);
}

static void put_other(FILE *out, const struct split_curve_shown *shown,
		      const struct split_curve_line *line)
{
	fprintf(out, "a way with %s of it", TIME_TEXT(line->region_ns));
	if (line->other != UINT32_MAX)
		fprintf(out, " and %s of others, most of %s", TIME_TEXT(line->elsewhere_ns),
			shown->name[line->other]);
}

/* From few parts to many: what rules. */
static void put_bends(FILE *out, const struct split_curve_shown *shown)
{
	const struct split_curve *curve = shown->curve;

	for (uint32_t i = curve->n; i-- > 0;) {
		const struct split_curve_line *line = &curve->line[i];

		if (i + 1 == curve->n)
			fputs("the span is that of ", out);
		else
			fprintf(out, "from %.4g parts on it is that of ",
				ratio(line->from, line->per));
		put_other(out, shown, line);
		fputc('\n', out);
	}
	if (!curve->is_exact)
		fprintf(out, "there are more than %u bends, not all of which are listed\n",
			SPLIT_CURVE_LINES_MOST);
}

void split_curve_screen(FILE *out, const struct split_curve_shown *shown)
{
	const struct split_curve *curve = shown->curve;
	const struct forecast *forecast = shown->forecast;
	const struct split_curve_line *line = &curve->line[curve->n - 1];
	uint64_t end = split_curve_span(curve, 0);

	fprintf(out, "%s: %s of %s work; policy %s, %u %s each\n\n", shown->kind,
		TIME_TEXT(curve->work_ns), TIME_TEXT(forecast->row[0].work_ns),
		forecast->row[0].policy.name, forecast->n_runs,
		forecast->n_runs == 1 ? "run" : "runs");
	fprintf(out, "%7s %9s %11s  elapsed on\n%7s %9s %11s", "parts", "span", "parallelism", "",
		"", "");
	for (uint32_t i = 0; i < forecast->n_points; i++)
		fprintf(out, " %9u", forecast->workers[i]);
	fputc('\n', out);
	for (uint32_t row = 0; row < forecast->n_rows; row++)
		put_parts_line(out, shown, row);
	fprintf(out, "%7s %9s", "no end", TIME_TEXT(end));
	if (end)
		fprintf(out, " %11.1f", ratio(forecast->row[0].work_ns, end));
	fputs("\n\n", out);
	put_bends(out, shown);
	if (!line->region_ns)
		fprintf(out,
			"splitting it does not shorten the span: the longest way through it is %s "
			"shorter\n",
			TIME_TEXT(curve->slack_ns));
}

/* ---- JSON ---- */

static void put_lines(struct json *to, const struct split_curve_shown *shown)
{
	const struct split_curve *curve = shown->curve;

	json_open(to, "lines", '[');
	for (uint32_t i = curve->n; i-- > 0;) {
		const struct split_curve_line *line = &curve->line[i];

		json_open(to, NULL, '{');
		JSON_NUMBERS(to, { "elsewhere_ns", line->elsewhere_ns },
			     { "region_ns", line->region_ns });
		json_real(to, "from_parts", "%.9g", ratio(line->from, line->per));
		json_text(to, "most_of",
			  line->other == UINT32_MAX ? NULL : shown->name[line->other]);
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void put_parts(struct json *to, const struct split_curve_shown *shown)
{
	const struct forecast *forecast = shown->forecast;
	char workers[16];

	json_open(to, "parts", '[');
	for (uint32_t row = 0; row < forecast->n_rows; row++) {
		json_open(to, NULL, '{');
		JSON_NUMBERS(to, { "parts", shown->parts[row] },
			     { "span_ns", split_curve_span(shown->curve, shown->parts[row]) });
		json_open(to, "elapsed_ns", '{');
		for (uint32_t i = 0; i < forecast->n_points; i++) {
			snprintf(workers, sizeof(workers), "%u", forecast->workers[i]);
			json_number(to, workers, forecast_elapsed(forecast, row, i));
		}
		json_close(to, '}');
		json_close(to, '}');
	}
	json_close(to, ']');
}

void split_curve_json(FILE *out, const struct split_curve_shown *shown)
{
	struct json json, *to = &json;

	json_begin(to, out);
	json_text(to, "kind", shown->kind);
	JSON_NUMBERS(to, { "work_ns", shown->forecast->row[0].work_ns },
		     { "kind_work_ns", shown->curve->work_ns },
		     { "runs", shown->forecast->n_runs });
	put_lines(to, shown);
	json_bool(to, "exact", shown->curve->is_exact);
	JSON_NUMBERS(to, { "slack_ns", shown->curve->slack_ns },
		     { "no_end_span_ns", split_curve_span(shown->curve, 0) });
	put_parts(to, shown);
	json_end(to);
}

/* SPDX-License-Identifier: MIT */
/* forecast_json.c - a forecast as one line of JSON; times are integers of ns. */
#include <inttypes.h>

#include "tools/model/forecast.h"
#include "tools/model/scaling_put.h"

static void put_point(FILE *out, const struct forecast_row *row, const struct point *point)
{
	const struct outcome *of = &point->outcome;
	uint64_t all = of->elapsed_ns * point->n_workers, busy = of->work_ns + of->delay_ns;
	struct {
		const char *name;
		uint64_t value;
	} field[] = { { "elapsed_ns", of->elapsed_ns },
		      { "low_ns", point->low_ns },
		      { "high_ns", point->high_ns },
		      { "work_ns", of->work_ns },
		      { "delay_ns", of->delay_ns },
		      { "no_work_ns", all > busy ? all - busy : 0 },
		      { "runtime_ns", of->runtime_ns },
		      { "blocked_ns", of->blocked_ns },
		      { "span_ns", row->span_ns },
		      { "bound_ns", forecast_bound(row, point->n_workers) },
		      { "steals", of->n_steals },
		      { "run_at_once", of->n_at_once },
		      { "forced", of->n_forced } };

	fprintf(out, "{\"workers\":%u,\"policy\":\"%s\"", point->n_workers, row->policy.name);
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		fprintf(out, ",\"%s\":%" PRIu64, field[i].name, field[i].value);
	fputc('}', out);
}

static void put_points(FILE *out, const struct forecast *forecast, const struct forecast_row *row)
{
	fputs("\"points\":[", out);
	for (uint32_t i = 0; i < forecast->n_points; i++) {
		fputs(i ? "," : "", out);
		put_point(out, row, &row->point[i]);
	}
	fputc(']', out);
}

/* Text of the command line, whose quotes and backslashes are JSON's, too. */
static void put_text(FILE *out, const char *what)
{
	for (; *what; what++)
		if (*what == '"' || *what == '\\')
			fprintf(out, "\\%c", *what);
		else if ((unsigned char)*what < 0x20)
			fprintf(out, "\\u%04x", *what);
		else
			fputc(*what, out);
}

static void put_families(FILE *out, const struct fit_group *group)
{
	for (enum family f = FAMILY_NORMAL; f < FAMILIES; f++)
		fprintf(out, ",\"%s\":{\"a\":%.9g,\"b\":%.9g,\"distance\":%.6f,\"p\":%.2f}",
			family_name[f], group->fit[f].a, group->fit[f].b, group->fit[f].distance,
			group->fit[f].p);
}

static void put_fits(FILE *out, const struct forecast *forecast)
{
	fputs(",\"fits\":[", out);
	for (uint32_t g = 0; g < forecast->fits.n; g++) {
		const struct fit_group *group = &forecast->fits.group[g];

		fputs(g ? ",{\"kind\":\"" : "{\"kind\":\"", out);
		put_text(out, forecast->kind_name[group->kind]);
		fprintf(out,
			"\",\"begins\":\"%s\",\"ends\":\"%s\",\"n\":%" PRIu64 ",\"sum_ns\":%" PRIu64
			",\"first_n\":%" PRIu64 ",\"first_sum_ns\":%" PRIu64 ",\"family\":\"%s\"",
			fit_begin_name[group->begin], fit_end_name[group->end], group->n,
			group->sum_ns, group->n_first, group->first_sum_ns,
			family_name[group->family]);
		put_families(out, group);
		fputc('}', out);
	}
	fputc(']', out);
}

void forecast_json(FILE *out, const struct forecast *forecast)
{
	const struct dag *dag = forecast->dag;

	fprintf(out,
		"{\"version\":1,\"recorded\":{\"workers\":%u,\"elapsed_ns\":%" PRIu64
		",\"tasks\":%" PRIu64 ",\"collapsed_tasks\":%" PRIu64
		",\"workers_away\":%u},\"locks\":%" PRIu64 ",\"runs\":%u,",
		dag->n_workers, dag->elapsed_ns, dag->n_tasks + dag->n_collapsed_tasks,
		dag->n_collapsed_tasks, forecast->n_never, forecast->n_locks, forecast->n_runs);
	put_points(out, forecast, &forecast->row[forecast->n_rows - 1]);
	fputs(",\"changes\":[", out);
	for (uint32_t i = 0; forecast->n_rows > 1 && i < forecast->n_rows; i++) {
		fputs(i ? "," : "", out);
		fputs("{\"change\":\"", out);
		put_text(out, forecast->row[i].what);
		fputs("\",", out);
		put_points(out, forecast, &forecast->row[i]);
		fputc('}', out);
	}
	fputc(']', out);
	if (forecast->fitted)
		put_fits(out, forecast);
	if (forecast->scaling)
		scaling_json(out, forecast->scaling, forecast->workers, forecast->n_points);
	fputs("}\n", out);
}

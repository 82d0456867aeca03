/* SPDX-License-Identifier: MIT */
/* fewest_put.c - goal, ceiling, sets, and why no smaller one will do. */
#include "tools/model/fewest.h"

#include "tools/base/units.h"
#include "tools/table/column.h"

#define SETS_SHOWN 5u

struct shown {
	const struct fewest *fewest;
	const struct forecast *forecast;
	char *const *name;
};

static uint64_t work_of(const struct shown *shown)
{
	return shown->forecast->row[0].work_ns;
}

static double percent_used(const struct shown *shown, uint64_t elapsed_ns)
{
	return elapsed_ns ? 100 * (double)work_of(shown) /
				    ((double)elapsed_ns * shown->fewest->n_workers)
			  : 0;
}

static void put_options(FILE *out, const struct shown *shown, const struct fewest_set *set)
{
	for (uint32_t i = 0; i < shown->fewest->n_actions; i++) {
		const struct fewest_action *action = &shown->fewest->action[i];

		if (!(set->actions >> i & 1))
			continue;
		if (action->call)
			fprintf(out, "  --call %s", shown->name[action->kind]);
		else
			fprintf(out, "  --split %s:%u", shown->name[action->kind], set->parts);
	}
	if (!set->actions)
		fputs("  no change", out);
}

static void put_line(FILE *out, const struct shown *shown, const char *what, uint64_t ns)
{
	fprintf(out, "%-12s %9s %4.0f%%", what, TIME_TEXT(ns), percent_used(shown, ns));
}

static void put_sets(FILE *out, const struct shown *shown)
{
	const struct fewest *fewest = shown->fewest;

	for (uint32_t i = 0; i < fewest->n_sets && i < SETS_SHOWN; i++) {
		const struct fewest_set *set = &fewest->set[i];

		put_line(out, shown,
			 !fewest->is_found ? "the fastest"
			 : i		   ? "or"
					   : "smallest set",
			 set->point.outcome.elapsed_ns);
		put_options(out, shown, set);
		fputc('\n', out);
	}
	if (fewest->n_sets > SETS_SHOWN)
		fprintf(out, "and %u more of that size\n", fewest->n_sets - SETS_SHOWN);
}

/* "3 sets have too long a span", with what divides it from the part before. */
static void put_part(FILE *out, const char **before, uint32_t n, const char *one, const char *more,
		     const char *rest)
{
	if (!n)
		return;
	fprintf(out, "%s%u %s%s", *before, n, n == 1 ? one : more, rest);
	*before = "; ";
}

/* Why no set of that size will do. */
static void put_size(FILE *out, const struct shown *shown, uint32_t n)
{
	const struct fewest_size *size = &shown->fewest->size[n];
	uint32_t n_open = size->n - size->n_by_span - size->n_tried;
	const char *before = ": ";

	if (!size->n)
		return;
	if (n == 0) {
		fputs("without a change, the run is too slow\n", out);
		return;
	}
	if (n == 1)
		fputs("no single change suffices", out);
	else
		fprintf(out, "no %u changes suffice", n);
	put_part(out, &before, size->n_by_span, "set has", "sets have",
		 " too long a span, however fine the parts");
	put_part(out, &before, size->n_tried, "set is", "sets are", " too slow when simulated");
	put_part(out, &before, n_open, "set was", "sets were",
		 " not tried, as this trace is large");
	fputc('\n', out);
}

static void put_reasons(FILE *out, const struct shown *shown)
{
	const struct fewest *fewest = shown->fewest;
	uint32_t n = fewest->n_sizes - (fewest->is_found ? 1 : 0);

	if (fewest->ceiling_ns > fewest->goal_ns)
		fprintf(out, "\nno set of these changes suffices: what they leave takes too long, "
			     "however "
			     "fine the parts\n");
	else if (n)
		fputc('\n', out);
	for (uint32_t i = n; i-- > 0;)
		put_size(out, shown, i);
	if (fewest->n_left_out)
		fprintf(out, "%u %s not considered: at most %s of any way through the graph%s\n",
			fewest->n_left_out, fewest->n_left_out == 1 ? "kind was" : "kinds were",
			TIME_TEXT(fewest->left_out_ns),
			fewest->n_left_out == 1 ? "" : ", together");
	if (shown->forecast->n_locks)
		fputs("the ceiling does not count that tasks wait for locks\n", out);
	fprintf(out,
		"splits were simulated with %u, %u and %u parts, each at the cost of a creation "
		"and a begin\n",
		fewest->parts[0], fewest->parts[1], fewest->parts[2]);
}

void fewest_screen(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		   char *const *name)
{
	struct shown shown = { fewest, forecast, name };

	fprintf(out,
		"%u worker%s used to %.0f %% if %s of work take %s or less   policy %s, %u %s "
		"each\n\n",
		fewest->n_workers, fewest->n_workers == 1 ? " is" : "s are", 100 * FEWEST_SHARE,
		TIME_TEXT(work_of(&shown)), TIME_TEXT(fewest->goal_ns),
		forecast->row[0].policy.name, forecast->n_runs,
		forecast->n_runs == 1 ? "run" : "runs");
	put_line(out, &shown, "as it is", forecast->row[0].point[0].outcome.elapsed_ns);
	fputc('\n', out);
	put_line(out, &shown, "ceiling", fewest->ceiling_ns);
	fputs("  with all changes considered: splits into any number of parts, at no cost\n", out);
	put_sets(out, &shown);
	put_reasons(out, &shown);
}

/* ---- JSON ---- */

static void put_action(struct json *to, const struct shown *shown, uint32_t action)
{
	const struct fewest_action *of = &shown->fewest->action[action];

	json_open(to, NULL, '{');
	json_text(to, "option", of->call ? "--call" : "--split");
	json_text(to, "kind", shown->name[of->kind]);
}

static void put_json_set(struct json *to, const struct shown *shown, const struct fewest_set *set)
{
	json_open(to, NULL, '{');
	json_open(to, "changes", '[');
	for (uint32_t a = 0; a < shown->fewest->n_actions; a++) {
		if (!(set->actions >> a & 1))
			continue;
		put_action(to, shown, a);
		if (!shown->fewest->action[a].call)
			json_number(to, "parts", set->parts);
		json_close(to, '}');
	}
	json_close(to, ']');
	JSON_NUMBERS(to, { "elapsed_ns", set->point.outcome.elapsed_ns },
		     { "low_ns", set->point.low_ns }, { "high_ns", set->point.high_ns });
	json_close(to, '}');
}

static void put_candidates(struct json *to, const struct shown *shown)
{
	json_open(to, "candidates", '[');
	for (uint32_t i = 0; i < shown->fewest->n_actions; i++) {
		put_action(to, shown, i);
		json_number(to, "way_ns", shown->fewest->action[i].way_ns);
		json_close(to, '}');
	}
	json_close(to, ']');
}

CELL(uint64_t, changes, void, row)

#define SIZE(field) COLUMN_FIELD(struct fewest_size, field)

static const struct column size_column[] = {
	{ "changes", .number = changes }, { "sets", SIZE(n) },
	{ "by_span", SIZE(n_by_span) },	  { "simulated", SIZE(n_tried) },
	{ "suffice", SIZE(n_suffice) },
};

void fewest_json(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		 char *const *name)
{
	struct shown shown = { fewest, forecast, name };
	struct json json, *to = &json;

	json_begin(to, out);
	json_number(to, "workers", fewest->n_workers);
	json_text(to, "policy", forecast->row[0].policy.name);
	JSON_NUMBERS(to, { "runs", forecast->n_runs }, { "work_ns", work_of(&shown) },
		     { "span_ns", forecast->row[0].span_ns },
		     { "elapsed_ns", forecast->row[0].point[0].outcome.elapsed_ns },
		     { "goal_ns", fewest->goal_ns }, { "ceiling_ns", fewest->ceiling_ns },
		     { "left_out", fewest->n_left_out }, { "left_out_ns", fewest->left_out_ns });
	put_candidates(to, &shown);
	table_put_json(to, &(struct table){ .name = "sizes",
					    TABLE_COLUMNS(size_column),
					    TABLE_ROWS(fewest->size, fewest->n_sizes) });
	json_bool(to, "suffice", fewest->is_found);
	json_open(to, "sets", '[');
	for (uint32_t i = 0; i < fewest->n_sets; i++)
		put_json_set(to, &shown, &fewest->set[i]);
	json_close(to, ']');
	json_end(to);
}

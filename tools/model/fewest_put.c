/* SPDX-License-Identifier: MIT */
/* fewest_put.c - goal, ceiling, sets, and why no smaller one will do. */
#include "tools/model/fewest_put.h"

#include <inttypes.h>

#include "tools/base/units.h"
#include "tools/model/put_json.h"

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
	char text[UNITS_TIME];

	fprintf(out, "%-12s %9s %4.0f%%", what, units_time(text, ns), percent_used(shown, ns));
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
	char text[UNITS_TIME];

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
			units_time(text, fewest->left_out_ns),
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
	char goal[UNITS_TIME], work[UNITS_TIME];

	fprintf(out,
		"%u worker%s used to %.0f %% if %s of work take %s or less   policy %s, %u %s "
		"each\n\n",
		fewest->n_workers, fewest->n_workers == 1 ? " is" : "s are", 100 * FEWEST_SHARE,
		units_time(work, work_of(&shown)), units_time(goal, fewest->goal_ns),
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

static void put_json_sets(FILE *out, const struct shown *shown)
{
	const struct fewest *fewest = shown->fewest;

	for (uint32_t i = 0; i < fewest->n_sets; i++) {
		const struct fewest_set *set = &fewest->set[i];
		const char *comma = "";

		fputs(i ? ",{\"changes\":[" : "{\"changes\":[", out);
		for (uint32_t a = 0; a < fewest->n_actions; a++) {
			const struct fewest_action *action = &fewest->action[a];

			if (!(set->actions >> a & 1))
				continue;
			fprintf(out, "%s{\"option\":\"--%s\",\"kind\":", comma,
				action->call ? "call" : "split");
			put_json_string(out, shown->name[action->kind]);
			if (!action->call)
				fprintf(out, ",\"parts\":%u", set->parts);
			fputc('}', out);
			comma = ",";
		}
		fprintf(out,
			"],\"elapsed_ns\":%" PRIu64 ",\"low_ns\":%" PRIu64 ",\"high_ns\":%" PRIu64
			"}",
			set->point.outcome.elapsed_ns, set->point.low_ns, set->point.high_ns);
	}
}

static void put_json_candidates(FILE *out, const struct shown *shown)
{
	for (uint32_t i = 0; i < shown->fewest->n_actions; i++) {
		const struct fewest_action *action = &shown->fewest->action[i];

		fprintf(out, "%s{\"option\":\"--%s\",\"kind\":", i ? "," : "",
			action->call ? "call" : "split");
		put_json_string(out, shown->name[action->kind]);
		fprintf(out, ",\"way_ns\":%" PRIu64 "}", action->way_ns);
	}
}

static void put_json_sizes(FILE *out, const struct fewest *fewest)
{
	for (uint32_t i = 0; i < fewest->n_sizes; i++) {
		const struct fewest_size *size = &fewest->size[i];

		fprintf(out,
			"%s{\"changes\":%u,\"sets\":%u,\"by_span\":%u,\"simulated\":%u,"
			"\"suffice\":%u}",
			i ? "," : "", i, size->n, size->n_by_span, size->n_tried, size->n_suffice);
	}
}

void fewest_json(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		 char *const *name)
{
	struct shown shown = { fewest, forecast, name };

	fprintf(out,
		"{\"version\":1,\"workers\":%u,\"policy\":\"%s\",\"runs\":%u,\"work_ns\":%" PRIu64
		",\"span_ns\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64 ",\"goal_ns\":%" PRIu64
		",\"ceiling_ns\":%" PRIu64 ",\"left_out\":%u,\"left_out_ns\":%" PRIu64
		",\"candidates\":[",
		fewest->n_workers, forecast->row[0].policy.name, forecast->n_runs, work_of(&shown),
		forecast->row[0].span_ns, forecast->row[0].point[0].outcome.elapsed_ns,
		fewest->goal_ns, fewest->ceiling_ns, fewest->n_left_out, fewest->left_out_ns);
	put_json_candidates(out, &shown);
	fputs("],\"sizes\":[", out);
	put_json_sizes(out, fewest);
	fprintf(out, "],\"suffice\":%s,\"sets\":[", fewest->is_found ? "true" : "false");
	put_json_sets(out, &shown);
	fputs("]}\n", out);
}

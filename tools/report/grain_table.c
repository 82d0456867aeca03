/* SPDX-License-Identifier: MIT */
/* grain_table.c - a line for each length of tasks: what they worked, what they cost. */
#include "tools/report/grain_table.h"

#include <inttypes.h>

#include "tools/analysis/grains.h"
#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/report/json_parts.h"
#include "tools/table/put.h"
#include "tools/report/regrouped.h"

struct grain_rows {
	uint64_t cumulative_ns;
	struct grains grains;
	struct regrouped by;
};

static int open_rows(struct grain_rows *rows, const struct summary *summary)
{
	int error = grains_build(&rows->grains, summary->dag);

	rows->by = (struct regrouped){ 0 };
	rows->cumulative_ns = summary->cumulative_ns;
	if (!error)
		error = regrouped_build(&rows->by, &rows->grains.dag, summary, true);
	if (error)
		grains_free(&rows->grains);
	return error;
}

static void close_rows(struct grain_rows *rows)
{
	regrouped_free(&rows->by);
	grains_free(&rows->grains);
}

static bool is_there(const struct grain_rows *rows, uint32_t grain)
{
	return rows->by.facts[grain].n_tasks || charge_sum(&rows->by.breakdown.kind[grain]);
}

/* What a task costs, and its mean work over that: known of tasks that somebody creates. */
static const struct kind_grain *cost_of(const struct grain_rows *rows, uint32_t grain)
{
	const struct kind_grain *cost = &rows->by.findings.grain[grain];

	return grain && cost->benefit > 0 ? cost : NULL;
}

/* ---- text ---- */

#define SENTENCE 300
#define ENOUGH 20 /* benefit: a task costs a twentieth of its work */

static char *label_of(char out[UNITS_TIME + 8], uint32_t grain)
{
	char time[UNITS_TIME];

	if (grain > 1)
		snprintf(out, UNITS_TIME + 8, "from %s", units_time(time, grain_least_ns(grain)));
	else
		snprintf(out, UNITS_TIME + 8, grain ? "below 2 ns" : "main, regions");
	return out;
}

#define LABEL 15

/* Columns, and in which order they are left out where the screen is narrow: the largest first. */
enum column { SHARE, WORK, DELAY, SCHED, APP, TASKS, COST, BENEFIT, COLUMNS };
static const struct {
	const char *title;
	int width, leave_out;
} column[COLUMNS] = {
	[SHARE] = { "share", 8, 4 },	 [WORK] = { "work", 10, 0 },
	[DELAY] = { "delay", 10, 0 },	 [SCHED] = { "nw-sched", 10, 3 },
	[APP] = { "nw-app", 10, 0 },	 [TASKS] = { "tasks", 10, 1 },
	[COST] = { "cost each", 10, 2 }, [BENEFIT] = { "benefit", 9, 0 },
};

/* What is shown is left out up to this. */
static int shown(unsigned width)
{
	int most = 4;

	for (; most > 0; most--) {
		int sum = LABEL;

		for (int c = 0; c < COLUMNS; c++)
			sum += column[c].leave_out <= most ? column[c].width : 0;
		if (sum <= (int)width)
			break;
	}
	return most;
}

static void put_share(FILE *out, const struct grain_rows *rows, const struct charge *charge)
{
	double all = (double)rows->cumulative_ns;

	fprintf(out, "%*.1f%%", column[SHARE].width - 1,
		all > 0 ? 100 * (double)charge_sum(charge) / all : 0);
}

static void put_time(FILE *out, enum column of, uint64_t ns, bool known)
{
	char text[UNITS_TIME];

	fprintf(out, "%*s", column[of].width, known ? units_time(text, ns) : "-");
}

static void put_cell(FILE *out, const struct grain_rows *rows, uint32_t grain, enum column of)
{
	const struct charge *charge = &rows->by.breakdown.kind[grain];
	const struct kind_grain *cost = cost_of(rows, grain);

	switch (of) {
	case SHARE:
		put_share(out, rows, charge);
		break;
	case WORK:
		put_time(out, of, charge->work_ns, true);
		break;
	case DELAY:
		put_time(out, of, charge->delay_ns, true);
		break;
	case SCHED:
		put_time(out, of, charge->no_work_sched_ns, true);
		break;
	case APP:
		put_time(out, of, charge->no_work_app_ns, true);
		break;
	case TASKS:
		fprintf(out, "%*" PRIu64, column[of].width, rows->by.facts[grain].n_tasks);
		break;
	case COST:
		put_time(out, of, cost ? cost->cost_ns : 0, cost != NULL);
		break;
	default:
		if (cost)
			fprintf(out, "%*.1f", column[of].width, cost->benefit);
		else
			fprintf(out, "%*s", column[of].width, "-");
	}
}

static void put_rows(FILE *out, const struct grain_rows *rows, unsigned width)
{
	int most = shown(width);
	char label[UNITS_TIME + 8];

	fprintf(out, "%-*s", LABEL, "work of a task");
	for (int c = 0; c < COLUMNS; c++)
		if (column[c].leave_out <= most)
			fprintf(out, "%*s", column[c].width, column[c].title);
	fputc('\n', out);
	for (uint32_t g = 0; g < GRAINS; g++) {
		if (!is_there(rows, g))
			continue;
		fprintf(out, "%-*s", LABEL, label_of(label, g));
		for (int c = 0; c < COLUMNS; c++)
			if (column[c].leave_out <= most)
				put_cell(out, rows, g, (enum column)c);
		fputc('\n', out);
	}
}

/* From which length on all tasks cost little; 0: the longest ones cost much, or none is known. */
static uint32_t enough_from(const struct grain_rows *rows, uint64_t *n_below)
{
	uint32_t from = 0;

	*n_below = 0;
	for (uint32_t g = GRAINS; g-- > 1;) {
		const struct kind_grain *cost = cost_of(rows, g);

		if (cost && cost->benefit < ENOUGH)
			break;
		from = cost ? g : from;
	}
	for (uint32_t g = 1; g < (from ? from : GRAINS); g++)
		*n_below += rows->by.facts[g].n_tasks;
	return from;
}

static void put_enough(FILE *out, const struct grain_rows *rows, const struct look *look)
{
	char text[SENTENCE], time[UNITS_TIME];
	uint64_t n_below;
	uint32_t from = enough_from(rows, &n_below);
	bool known = false;

	for (uint32_t g = 1; g < GRAINS; g++)
		known |= cost_of(rows, g) != NULL;
	if (!known)
		return;
	if (!from)
		snprintf(text, sizeof(text),
			 "even the longest tasks cost more than %d %% of their work", 100 / ENOUGH);
	else
		snprintf(text, sizeof(text),
			 "tasks from %s on cost at most %d %% of their work; %" PRIu64
			 " are shorter",
			 units_time(time, grain_least_ns(from)), 100 / ENOUGH, n_below);
	fit_words(out, text, 0, 0, (int)look->width);
}

int grain_table(FILE *out, const struct summary *summary, const struct look *look)
{
	struct grain_rows rows;
	int error = open_rows(&rows, summary);

	if (error)
		return error;
	put_rows(out, &rows, look->width);
	put_enough(out, &rows, look);
	close_rows(&rows);
	return 0;
}

/* ---- CSV ---- */

int grain_csv(FILE *out, const struct summary *summary, const char *path, bool header)
{
	struct grain_rows rows;
	int error = open_rows(&rows, summary);

	if (error)
		return error;
	if (header)
		fprintf(out,
			"%sfrom_ns,tasks,work_ns,delay_ns,no_work_sched_ns,no_work_app_ns,"
			"cost_ns,benefit\n",
			path ? "file," : "");
	for (uint32_t g = 0; g < GRAINS; g++) {
		const struct charge *charge = &rows.by.breakdown.kind[g];
		const struct kind_grain *cost = cost_of(&rows, g);

		if (!is_there(&rows, g))
			continue;
		if (path) {
			put_quoted(out, path);
			fputc(',', out);
		}
		if (g)
			fprintf(out, "%" PRIu64, grain_least_ns(g));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
			rows.by.facts[g].n_tasks, charge->work_ns, charge->delay_ns,
			charge->no_work_sched_ns, charge->no_work_app_ns);
		if (cost)
			fprintf(out, "%" PRIu64 ",%.3f", cost->cost_ns, cost->benefit);
		else
			fputc(',', out);
		fputc('\n', out);
	}
	close_rows(&rows);
	return 0;
}

/* ---- JSON ---- */

static void put_json_row(FILE *out, const struct grain_rows *rows, uint32_t grain)
{
	const struct breakdown *b = &rows->by.breakdown;
	const struct kind_grain *cost = cost_of(rows, grain);

	if (grain)
		fprintf(out, "{\"from_ns\":%" PRIu64 ",", grain_least_ns(grain));
	else
		fputs("{\"from_ns\":null,", out);
	fprintf(out, "\"tasks\":%" PRIu64 ",", rows->by.facts[grain].n_tasks);
	json_put_charge(out, &b->kind[grain]);
	fprintf(out,
		",\"blocked_ns\":%" PRIu64 ",\"runtime_ns\":%" PRIu64 ",\"starved_ns\":%" PRIu64
		",\"tracer_ns\":%" PRIu64,
		b->blocked_ns[grain], b->runtime_ns[grain], b->starved_ns[grain],
		b->tracer_ns[grain]);
	if (cost)
		fprintf(out, ",\"cost_ns\":%" PRIu64 ",\"benefit\":%.3f}", cost->cost_ns,
			cost->benefit);
	else
		fputs(",\"cost_ns\":null,\"benefit\":null}", out);
}

int grain_put_json(FILE *out, const struct summary *summary)
{
	struct grain_rows rows;
	const char *comma = "";
	int error = open_rows(&rows, summary);

	if (error)
		return error;
	fputs(",\"grains\":[", out);
	for (uint32_t g = 0; g < GRAINS; g++) {
		if (!is_there(&rows, g))
			continue;
		fputs(comma, out);
		put_json_row(out, &rows, g);
		comma = ",";
	}
	fputs("]", out);
	close_rows(&rows);
	return 0;
}

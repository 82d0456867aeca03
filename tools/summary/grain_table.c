/* SPDX-License-Identifier: MIT */
/*
 * grain_table.c - what tasks of each length cost, from one run: `--by grain`.
 *
 * A row for each power of two that has tasks (grains.h), and one for tasks that nobody creates; the
 * columns add up to the components.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/analysis/grains.h"
#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/summary/report_tables.h"
#include "tools/summary/regrouped.h"
#include "tools/table/fit.h"

#define SENTENCE 300
#define ENOUGH 20 /* benefit: a task costs a twentieth of its work */

struct grain_row {
	uint32_t grain;
	uint64_t from_ns; /* TABLE_UNKNOWN: of those that nobody creates */
	uint64_t n_tasks;
	struct charge charge;
	struct state_times state;
	/* what a task costs, and its mean work over that: of tasks that somebody creates */
	uint64_t cost_ns; /* TABLE_UNKNOWN */
	double benefit;	  /* NAN: not known */
};

struct grain_rows {
	uint64_t cumulative_ns;
	const struct charge *state; /* of the run */
	struct grain_row row[GRAINS];
	uint32_t n;
};

static struct grain_row row_of(const struct regrouped *by, uint32_t grain)
{
	const struct breakdown *b = &by->breakdown;
	const struct kind_grain *cost = &by->findings.grain[grain];
	bool known = grain && cost->benefit > 0;

	return (struct grain_row){
		.grain = grain,
		.from_ns = grain ? grain_least_ns(grain) : TABLE_UNKNOWN,
		.n_tasks = by->facts[grain].n_tasks,
		.charge = b->kind[grain],
		.state = b->in_state[grain],
		.cost_ns = known ? cost->cost_ns : TABLE_UNKNOWN,
		.benefit = known ? cost->benefit : NAN,
	};
}

static struct grain_rows *rows_open(const struct summary *summary)
{
	struct grain_rows *rows = xcalloc(1, sizeof(*rows));
	AT_END(grains_free) struct grains grains;
	AT_END(regrouped_free) struct regrouped by = { 0 };

	grains_build(&grains, summary->dag);
	rows->cumulative_ns = summary->cumulative_ns;
	rows->state = summary->breakdown.state;
	regrouped_build(&by, &grains.dag, summary, true);
	for (uint32_t g = 0; g < GRAINS; g++)
		if (by.facts[g].n_tasks || charge_sum(&by.breakdown.kind[g]))
			rows->row[rows->n++] = row_of(&by, g);
	return rows;
}

static double share(const struct table *table, uint32_t number)
{
	const struct grain_rows *rows = table->of;
	double all = (double)rows->cumulative_ns;

	return all > 0 ? 100 * (double)charge_sum(&rows->row[number].charge) / all : 0;
}

static const char *label(const struct table *table, uint32_t number, char out[TABLE_TEXT])
{
	const struct grain_row *row = table_row(table, number);
	char time[UNITS_TIME];

	if (row->grain < 2)
		return row->grain ? "below 2 ns" : "main, regions";
	snprintf(out, TABLE_TEXT, "from %s", units_time(time, row->from_ns));
	return out;
}

#define LABEL 15 /* columns */
#define FIELD(field) COLUMN_FIELD(struct grain_row, field)
#define TIME(field) .type = COLUMN_NS, FIELD(field)
#define DROP(number) .drop = (number), .name_least = LABEL

#define HAS_STATE(in, ...)                                                                         \
	static bool has_##in(const struct table *table, uint32_t row)                              \
	{                                                                                          \
		(void)row;                                                                         \
		return state_seen(((const struct grain_rows *)table->of)->state, STATE_##in);      \
	}
STATES_OF_TASKS(HAS_STATE)
#define STATE_COLUMN(in, key, ...) { key, NULL, TIME(state.ns[STATE_##in]), .has = has_##in },

static const struct column grain_column[] = {
	{ NULL, "share", .type = COLUMN_SHARE, .real = share, .width = 8, DROP(4) },
	{ "from_ns", NULL, TIME(from_ns) },
	{ "tasks", NULL, FIELD(n_tasks) },
	{ "work_ns", "work", TIME(charge.work_ns), .width = 10 },
	{ "delay_ns", "delay", TIME(charge.delay_ns), .width = 10 },
	{ "no_work_sched_ns", "nw-sched", TIME(charge.no_work_sched_ns), .width = 10, DROP(3) },
	{ "no_work_app_ns", "nw-app", TIME(charge.no_work_app_ns), .width = 10 },
	STATES_OF_TASKS(STATE_COLUMN){ NULL, "tasks", FIELD(n_tasks), .width = 10, DROP(1) },
	{ "cost_ns", "cost each", TIME(cost_ns), .width = 10, DROP(2) },
	{ "benefit", "benefit", .type = COLUMN_REAL, FIELD(benefit), .format = "%.3f", .width = 9 },
};

/* From which row on all tasks cost little; NULL: the longest ones cost much, or none is known. */
static const struct grain_row *enough_from(const struct grain_rows *rows, uint64_t *n_below)
{
	const struct grain_row *from = NULL;

	*n_below = 0;
	for (uint32_t i = rows->n; i-- > 0 && !(rows->row[i].benefit < ENOUGH);)
		from = isnan(rows->row[i].benefit) ? from : &rows->row[i];
	for (uint32_t i = 0; i < rows->n && &rows->row[i] != from; i++)
		*n_below += rows->row[i].grain ? rows->row[i].n_tasks : 0;
	return from;
}

static void put_enough(FILE *out, const struct table *table, const struct look *look)
{
	const struct grain_rows *rows = table->of;
	char text[SENTENCE], time[UNITS_TIME];
	uint64_t n_below;
	const struct grain_row *from = enough_from(rows, &n_below);
	bool known = false;

	for (uint32_t i = 0; i < rows->n; i++)
		known |= !isnan(rows->row[i].benefit);
	if (!known)
		return;
	if (!from)
		snprintf(text, sizeof(text),
			 "even the longest tasks cost more than %d %% of their work", 100 / ENOUGH);
	else
		snprintf(text, sizeof(text),
			 "tasks from %s on cost at most %d %% of their work; %" PRIu64
			 " are shorter",
			 units_time(time, from->from_ns), 100 / ENOUGH, n_below);
	fit_words(out, text, 0, 0, (int)look->width);
}

void grain_table(struct table *table, const struct summary *summary)
{
	struct grain_rows *rows = rows_open(summary);

	*table = (struct table){ .name = "grains",
				 .heading = "core-seconds by length of the tasks",
				 .title = "work of a task",
				 TABLE_COLUMNS(grain_column),
				 .of = rows,
				 .own = rows,
				 TABLE_ROWS(rows->row, rows->n),
				 .label = label,
				 .names_least = LABEL,
				 .names_most = LABEL,
				 .after = put_enough };
}

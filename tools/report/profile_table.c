/* SPDX-License-Identifier: MIT */
/* profile_table.c - the columns of a profile, by the states of workers and by component. */
#include <inttypes.h>
#include <string.h>

#include "tools/summary/profile.h"
#include "tools/table/fit.h"
#include "tools/table/column.h"

#define NAME_LEAST 20
#define NAME_GOOD 28 /* what tells of one task is left out for a name of up to so many columns */

/* What the shares of rows are of. */
struct shares_of {
	uint64_t cumulative_ns;
	bool states; /* add up these, not the components */
};

CELL_TEXT(label, struct profile_row, its->label)

CELL_TEXT(where, struct profile_row, its->place)

static double share(const struct table *table, uint32_t number)
{
	const struct profile_row *row = table_row(table, number);
	const struct shares_of *of = table->of;
	uint64_t sum = of->states ? profile_states_sum(row) : charge_sum(&row->charge);

	return of->cumulative_ns ? 100.0 * (double)sum / (double)of->cumulative_ns : 0;
}

CELL(uint64_t, cpu_ns, struct profile_row,
     its->machine && its->machine->known_ns ? its->machine->cpu_ns : TABLE_UNKNOWN)

CELL(uint64_t, cpu_wait_ns, struct profile_row,
     its->machine && its->machine->known_ns && its->machine->has_wait ? its->machine->cpu_wait_ns
								      : TABLE_UNKNOWN)

#define FIELD(field) COLUMN_FIELD(struct profile_row, field)
#define TIME(field) .type = COLUMN_NS, FIELD(field)
/* The last ones are left out first. */
#define DROP(number) .drop = (number), .name_least = NAME_LEAST
#define DROP_EARLY(number) .drop = (number), .name_least = NAME_GOOD
#define SHARE NULL, "share", .type = COLUMN_SHARE, .real = share, .width = 7

/* Most programs have time in the runtime, and starve. */
#define STATE_COLUMN(in, key, name, order)                                                         \
	{                                                                                          \
		NULL,                                                                              \
		name,                                                                              \
		TIME(state.ns[STATE_##in]),                                                        \
		.width = 9,                                                                        \
		DROP(order),                                                                       \
		.hide = STATE_##in != STATE_RUNTIME && STATE_##in != STATE_IDLE                    \
	},

static const struct column state_column[] = {
	{ SHARE },
	{ NULL, "work", TIME(charge.work_ns), .width = 9, DROP(1) },
	STATES_OF_TASKS(STATE_COLUMN){ NULL, "tasks", FIELD(n_tasks), .width = 10, DROP(6) },
	{ NULL, "median", TIME(median_ns), .width = 9, DROP_EARLY(7), .hide = true },
	{ NULL, "on a CPU", TIME(cpu_ns), .width = 9, DROP_EARLY(10), .hide = true, .blank = true },
	{ NULL, "max", TIME(max_ns), .width = 9, DROP_EARLY(8), .hide = true },
	{ NULL, "begun at", TIME(max_at_ns), .width = 9, DROP_EARLY(9), .hide = true },
};

static const struct column component_column[] = {
	{ SHARE },
	{ "work_ns", "work", TIME(charge.work_ns), .width = 9, DROP(1) },
	{ "delay_ns", "delay", TIME(charge.delay_ns), .width = 9, DROP(2) },
	{ "no_work_sched_ns", "nw-sched", TIME(charge.no_work_sched_ns), .width = 9, DROP(3) },
	{ "no_work_app_ns", "nw-app", TIME(charge.no_work_app_ns), .width = 9, DROP(4) },
	{ NULL, "tasks", FIELD(n_tasks), .width = 10, DROP(5), .hide = true },
	{ NULL, "median", TIME(median_ns), .width = 9, DROP_EARLY(6), .hide = true },
	{ "cpu_ns", "CPU", .type = COLUMN_NS, .number = cpu_ns, .width = 9, DROP_EARLY(7),
	  .hide = true },
	{ "cpu_wait_ns", "CPU-wait", .type = COLUMN_NS, .number = cpu_wait_ns, .width = 9,
	  DROP_EARLY(8), .hide = true },
};
#define COMPONENT_COLUMNS (sizeof(component_column) / sizeof(component_column[0]))

#define STATE_COLUMNS (sizeof(state_column) / sizeof(state_column[0]))

/* A state that has 0.0 % of all, as shares are said, leaves its room to names. */
static void hide_little(struct column column[STATE_COLUMNS], const struct profile *profile,
			uint64_t cumulative_ns)
{
	static const enum state seldom[] = { STATE_BLOCKED, STATE_MESSAGE, STATE_DEVICE,
					     STATE_TRACER };

	for (size_t s = 0; s < sizeof(seldom) / sizeof(seldom[0]); s++) {
		uint64_t ns = 0;

		for (uint32_t i = 0; i < profile->n; i++)
			ns += profile->row[i].state.ns[seldom[s]];
		for (size_t c = 0; c < STATE_COLUMNS && ns < cumulative_ns / 2000; c++)
			if (column[c].offset ==
			    offsetof(struct profile_row, state.ns) + seldom[s] * sizeof(ns))
				column[c].title = NULL;
	}
}

static struct table table_of(const struct profile *profile, const struct shares_of *of)
{
	struct table table = {
		.title = profile_by_name[profile->by],
		TABLE_COLUMNS(component_column),
		.of = of,
		TABLE_ROWS(profile->row, profile->n),
		.label = label,
		.where = where,
		.names_least = NAME_LEAST,
		.has_rest = true,
	};

	if (of->states) {
		table.column = state_column;
		table.n_columns = STATE_COLUMNS;
	}
	return table;
}

/* The rows that are left out as one: nobody knows its median, and its longest is one of theirs. */
static void add_up_rest(struct profile_row *rest, const struct profile *profile, uint32_t n_most)
{
	*rest = (struct profile_row){ .max_at_ns = KINDS_NOT_THERE, .median_ns = TABLE_UNKNOWN };
	snprintf(rest->label, sizeof(rest->label), "(%u more)", profile->n - n_most);
	for (uint32_t i = n_most; i < profile->n; i++) {
		const struct profile_row *row = &profile->row[i];

		profile_add(rest, row);
		if (row->max_ns > rest->max_ns) {
			rest->max_ns = row->max_ns;
			rest->max_at_ns = row->max_at_ns;
		}
	}
}

static void put_guessed(FILE *out, const struct profile *profile, const struct look *look)
{
	bool by_path = profile->by == BY_PATH;
	char text[160];

	snprintf(text, sizeof(text),
		 "The trace has %" PRIu64 " collapsed tasks by kind only%s; their %s are the "
		 "likely ones.\n",
		 profile->n_guessed, by_path ? "" : ", of the whole run",
		 by_path ? "paths" : "kinds in this part");
	fit_lines(out, text, (int)look->width);
}

void profile_text(FILE *out, const struct profile *profile, uint64_t cumulative_ns,
		  const struct look *look)
{
	struct shares_of of = { cumulative_ns, profile_has_states(profile->by, look) };
	struct table table = table_of(profile, &of);
	struct column column[STATE_COLUMNS];

	if (of.states) {
		memcpy(column, state_column, sizeof(column));
		hide_little(column, profile, cumulative_ns);
		table.column = column;
	}

	if (profile->n > look->n_most)
		add_up_rest(&profile->row[profile->n], profile, look->n_most);
	table_put_text(out, &table, look);
	if (profile->n_guessed)
		put_guessed(out, profile, look);
}

/* ---- CSV ---- */

CELL(uint64_t, unknown, void, TABLE_UNKNOWN)

void profile_csv(FILE *out, const struct summary *summary, const struct profile *profile,
		 const char *path, bool header)
{
	const struct defs *defs = summary->defs;
	bool counts = profile_counts(profile->by); /* else a row has no tasks of its own */
	struct column column[3 + COMPONENT_COLUMNS + WIRE_COUNTERS] = {
		{ profile_by_name[profile->by], .type = COLUMN_TEXT, FIELD(label) },
		{ "place", .type = COLUMN_TEXT, FIELD(place) },
		{ "tasks", FIELD(n_tasks), .number = counts ? NULL : unknown },
	};
	struct table table = table_of(profile, &(struct shares_of){ 0 });

	table.column = column;
	table.n_columns = 3 + COMPONENT_COLUMNS - (profile->by == BY_WORKER ? 0 : 2);
	memcpy(column + 3, component_column, sizeof(component_column));
	for (uint32_t i = 0; counts && !path && i < defs->n_counters; i++)
		column[table.n_columns++] =
			(struct column){ .key = defs->counter[i].name ? defs->counter[i].name : "?",
					 FIELD(counts.sum[i]),
					 .quoted = true };
	table_put_csv(out, &table, path, header);
}

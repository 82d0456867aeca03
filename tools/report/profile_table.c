/* SPDX-License-Identifier: MIT */
/* profile_table.c - prints a profile: names to the left, cut so that no line is too long. */
#include <inttypes.h>

#include "tools/base/units.h"
#include "tools/report/profile.h"
#include "tools/table/fit.h"

#define NAME_LEAST 20
#define NAME_GOOD 28 /* when the longest began is left out for a name of up to so many columns */

/* What a column is of. */
struct column {
	const char *title;
	int width;
	uint64_t (*value)(const struct profile_row *row);
	bool is_count;
	bool keep; /* though it is 0 in all rows */
};

static uint64_t work(const struct profile_row *row)
{
	return row->charge.work_ns;
}

static uint64_t delay(const struct profile_row *row)
{
	return row->charge.delay_ns;
}

static uint64_t no_work_sched(const struct profile_row *row)
{
	return row->charge.no_work_sched_ns;
}

static uint64_t no_work_app(const struct profile_row *row)
{
	return row->charge.no_work_app_ns;
}

static uint64_t blocked(const struct profile_row *row)
{
	return row->state.blocked_ns;
}

static uint64_t runtime(const struct profile_row *row)
{
	return row->state.runtime_ns;
}

static uint64_t starved(const struct profile_row *row)
{
	return row->state.starved_ns;
}

static uint64_t held(const struct profile_row *row)
{
	return row->state.tracer_ns;
}

static uint64_t tasks(const struct profile_row *row)
{
	return row->n_tasks;
}

static uint64_t median(const struct profile_row *row)
{
	return row->median_ns;
}

static uint64_t most(const struct profile_row *row)
{
	return row->max_ns;
}

#define UNKNOWN UINT64_MAX

static uint64_t most_at(const struct profile_row *row)
{
	return row->max_at_ns == KINDS_NOT_THERE ? UNKNOWN : row->max_at_ns;
}

static uint64_t on_cpu(const struct profile_row *row)
{
	return row->machine && row->machine->known_ns ? row->machine->cpu_ns : UNKNOWN;
}

static uint64_t cpu_wait(const struct profile_row *row)
{
	bool known = row->machine && row->machine->known_ns && row->machine->has_wait;

	return known ? row->machine->cpu_wait_ns : UNKNOWN;
}

static const struct column of_states[] = {
	{ "work", 9, work, false, true },	  { "blocked", 9, blocked, false, false },
	{ "runtime", 9, runtime, false, true },	  { "starved", 9, starved, false, true },
	{ "tptrace", 9, held, false, false },	  { "tasks", 10, tasks, true, true },
	{ "median", 9, median, false, false },	  { "max", 9, most, false, false },
	{ "begun at", 9, most_at, false, false },
};
static const struct column of_components[] = {
	{ "work", 9, work, false, true },
	{ "delay", 9, delay, false, true },
	{ "nw-sched", 9, no_work_sched, false, true },
	{ "nw-app", 9, no_work_app, false, true },
	{ "tasks", 10, tasks, true, false },
	{ "median", 9, median, false, false },
	{ "CPU", 9, on_cpu, false, false },
	{ "CPU-wait", 9, cpu_wait, false, false },
};

/* The columns of a table that are shown. */
struct columns {
	const struct column *column[sizeof(of_states) / sizeof(of_states[0]) +
				    sizeof(of_components) / sizeof(of_components[0])];
	int n, width;
	int name;    /* columns for names */
	bool states; /* those of of_states */
};

static bool is_shown(const struct column *column, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n; i++)
		if (column->value(&profile->row[i]) && column->value(&profile->row[i]) != UNKNOWN)
			return true;
	return column->keep;
}

/* The columns that the longest name and its place want. */
static int name_wanted(const struct profile *profile, const struct look *look)
{
	int wanted = NAME_LEAST;

	for (uint32_t i = 0; i < profile->n && i < look->n_most; i++) {
		const struct profile_row *row = &profile->row[i];
		int name = fit_columns(row->label) + fit_columns(row->place) + 2;

		wanted = name > wanted ? name : wanted;
	}
	return wanted;
}

static void drop_last(struct columns *columns)
{
	columns->width -= columns->column[--columns->n]->width;
}

static void choose(struct columns *columns, const struct profile *profile, const struct look *look)
{
	const struct column *from = columns->states ? of_states : of_components;
	int n = columns->states ? sizeof(of_states) / sizeof(of_states[0])
				: sizeof(of_components) / sizeof(of_components[0]);
	int wanted = name_wanted(profile, look);
	int least = wanted < NAME_GOOD ? wanted : NAME_GOOD;

	columns->width = 7; /* the share */
	for (int i = 0; i < n; i++) {
		if (!is_shown(&from[i], profile))
			continue;
		columns->column[columns->n++] = &from[i];
		columns->width += from[i].width;
	}
	while (columns->n && NAME_LEAST + columns->width > (int)look->width)
		drop_last(columns);
	if (columns->n && columns->column[columns->n - 1]->value == most_at &&
	    least + columns->width > (int)look->width)
		drop_last(columns);
	columns->name = (int)look->width - columns->width;
	columns->name = wanted < columns->name ? wanted : columns->name;
}

static void put_cell(FILE *out, const struct column *column, const struct profile_row *row)
{
	uint64_t value = column->value(row);
	char text[UNITS_TIME];

	if (column->is_count)
		fprintf(out, "%*" PRIu64, column->width, value);
	else if (value == UNKNOWN)
		fprintf(out, "%*s", column->width, "-");
	else
		fprintf(out, "%*s", column->width, units_time(text, value));
}

static void put_row(FILE *out, const struct columns *columns, const struct profile_row *row,
		    uint64_t cumulative_ns)
{
	uint64_t sum = columns->states ? profile_states_sum(row) : charge_sum(&row->charge);

	fit_name(out, row->label, row->place, columns->name);
	fprintf(out, "%6.1f%%", cumulative_ns ? 100.0 * (double)sum / (double)cumulative_ns : 0);
	for (int i = 0; i < columns->n; i++)
		put_cell(out, columns->column[i], row);
	fputc('\n', out);
}

/* The rows that are not shown, in one: their median is not known, and their longest is one of
 * theirs. */
static void add_rest(struct profile_row *rest, const struct profile_row *row)
{
	profile_add(rest, row);
	rest->median_ns = UNKNOWN;
	if (row->max_ns > rest->max_ns) {
		rest->max_ns = row->max_ns;
		rest->max_at_ns = row->max_at_ns;
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
	struct profile_row rest = { .max_at_ns = KINDS_NOT_THERE };
	struct columns columns = { .states = profile_has_states(profile->by, look) };

	choose(&columns, profile, look);
	fprintf(out, "%-*s%7s", columns.name, profile_by_name[profile->by], "share");
	for (int i = 0; i < columns.n; i++)
		fprintf(out, "%*s", columns.column[i]->width, columns.column[i]->title);
	fputc('\n', out);
	for (uint32_t i = 0; i < profile->n; i++) {
		if (i < look->n_most)
			put_row(out, &columns, &profile->row[i], cumulative_ns);
		else
			add_rest(&rest, &profile->row[i]);
	}
	if (profile->n > look->n_most) {
		snprintf(rest.label, sizeof(rest.label), "(%u more)", profile->n - look->n_most);
		put_row(out, &columns, &rest, cumulative_ns);
	}
	if (profile->n_guessed)
		put_guessed(out, profile, look);
}

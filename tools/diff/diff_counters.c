/* SPDX-License-Identifier: MIT */
/* diff_counters.c - prints what was counted on two sides. */
#include "tools/diff/diff_counters.h"

#include <inttypes.h>
#include <math.h>

#include "tools/diff/why.h"
#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"

#define COUNTED_ALL ((struct counted_of){ LISTS, 0 })

struct counted {
	bool known; /* that run has the counter */
	uint64_t total;
	double per_task, per_work_s;
};

/* Sums by the numbers of the run; NULL: the run does not have that row. */
static const struct counts *counts_of(const struct comparison *c, struct counted_of of,
				      uint32_t run)
{
	const struct item *item;

	if (of.list == LISTS)
		return &c->run[run]->tallies.sum;
	item = c->list[of.list].item[(uint64_t)of.row * c->n_runs + run];
	return item ? &item->counts : NULL;
}

static uint32_t number_in(const struct comparison *c, uint32_t tally, uint32_t run)
{
	return c->tallies.number[(uint64_t)tally * c->n_runs + run];
}

static uint64_t total_in(const struct comparison *c, struct counted_of of, uint32_t run,
			 uint32_t tally)
{
	const struct counts *counts = counts_of(c, of, run);

	return counts ? counts->sum[number_in(c, tally, run)] : 0;
}

static uint64_t value_in(const struct comparison *c, struct counted_of of, uint32_t run,
			 enum value value, enum figure all)
{
	return of.list == LISTS ? c->run[run]->figure[all]
				: matches_value(&c->list[of.list], of.row, run, value);
}

static uint32_t middle_of(const struct comparison *c, enum counted_part part)
{
	return comparison_middle(c, part == COUNTED_A ? 0 : c->n - 1);
}

static struct counted counted_run(const struct comparison *c, struct counted_of of, uint32_t run,
				  uint32_t tally)
{
	struct counted counted = { .known = number_in(c, tally, run) != COUNTED_NONE,
				   .per_task = NAN,
				   .per_work_s = NAN };
	uint64_t n_tasks, work_ns;

	if (!counted.known)
		return counted;
	n_tasks = value_in(c, of, run, VALUE_TASKS, FIGURE_TASKS);
	work_ns = value_in(c, of, run, VALUE_WORK, FIGURE_WORK);
	counted.total = total_in(c, of, run, tally);
	if (c->run[run]->tallies.tally[number_in(c, tally, run)].n_processes <
	    c->run[run]->n_processes)
		return counted;
	if (n_tasks)
		counted.per_task = (double)counted.total / (double)n_tasks;
	if (work_ns)
		counted.per_work_s = (double)counted.total * 1e9 / (double)work_ns;
	return counted;
}

/* The tally is a number in comparison->tallies; of the difference, the total has a sign. */
static struct counted counted(const struct comparison *c, struct counted_of of, uint32_t tally,
			      enum counted_part part)
{
	struct counted a, b;

	if (part == COUNTED_A || part == COUNTED_B)
		return counted_run(c, of, middle_of(c, part), tally);
	a = counted(c, of, tally, COUNTED_A);
	b = counted(c, of, tally, COUNTED_B);
	return (struct counted){ a.known && b.known, b.total - a.total, b.per_task - a.per_task,
				 b.per_work_s - a.per_work_s };
}

/* Instructions a cycle; NAN if not both are counted. */
static double ipc(const struct comparison *c, struct counted_of of, enum counted_part part)
{
	uint32_t run = middle_of(c, part);
	const struct counts *counts = counts_of(c, of, run);
	struct counted_roles roles = c->tallies.roles;
	double ratio = 0;

	if (part == COUNTED_DELTA)
		return ipc(c, of, COUNTED_B) - ipc(c, of, COUNTED_A);
	if (counts && roles.instructions != COUNTED_NONE && roles.cycles != COUNTED_NONE) {
		roles.instructions = number_in(c, roles.instructions, run);
		roles.cycles = number_in(c, roles.cycles, run);
		ratio = counted_ipc(counts, roles);
	}
	return ratio > 0 ? ratio : NAN;
}

/* Of the side's runs that have the counter. */
static struct interval interval_in(const struct comparison *c, struct counted_of of, uint32_t side,
				   uint32_t tally)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->side[side].n; i++)
		if (number_in(c, tally, c->first[side] + i) != COUNTED_NONE)
			c->value[n++] = total_in(c, of, c->first[side] + i, tally);
	return interval_of(c->value, n);
}

/* Of the difference between the last side and the first, both of which have the counter. */
static enum noise counted_noise(const struct comparison *c, struct counted_of of, uint32_t tally)
{
	struct interval a = interval_in(c, of, 0, tally);
	struct interval b = interval_in(c, of, c->n - 1, tally);

	return interval_noise(&a, &b);
}

static bool counted_in_both(const struct comparison *c, uint32_t tally)
{
	return counted(c, COUNTED_ALL, tally, COUNTED_DELTA).known;
}

static bool counted_differs(const struct comparison *c, struct counted_of of, uint32_t tally)
{
	return counted_in_both(c, tally) && counted(c, of, tally, COUNTED_DELTA).total != 0;
}

#define PAIR_COLUMNS 20 /* what both sides have for each task, and for a second of work */
#define COUNTER_LEAST 56
#define NAME_COLUMNS 21
#define IPC "instructions a cycle"

static const char *tally_name(const struct comparison *c, uint32_t tally)
{
	return c->tallies.tally[tally].name;
}

static bool on_a_side(const struct comparison *c, uint32_t tally)
{
	return counted(c, COUNTED_ALL, tally, COUNTED_A).known ||
	       counted(c, COUNTED_ALL, tally, COUNTED_B).known;
}

static bool any(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->tallies.n; i++)
		if (on_a_side(c, i))
			return true;
	return false;
}

static bool has_ipc(const struct comparison *c)
{
	return c->tallies.roles.instructions != COUNTED_NONE &&
	       c->tallies.roles.cycles != COUNTED_NONE;
}

/* ---- text ---- */

/* "-" of what is not defined. */
static char *value_text(char out[UNITS_COUNTER], bool time, double value)
{
	if (isnan(value))
		snprintf(out, UNITS_COUNTER, "-");
	else
		units_counter(out, time, value);
	return out;
}

static char *change_text(char out[UNITS_COUNTER + 1], bool time, double a, double b)
{
	char text[UNITS_COUNTER];

	value_text(text, time, isnan(a) || isnan(b) ? NAN : fabs(b - a));
	snprintf(out, UNITS_COUNTER + 1, "%s%s", b < a ? "-" : b > a ? "+" : "", text);
	return out;
}

/* For each second of work: of time, the share that had a CPU. */
static char *rate_text(char out[UNITS_COUNTER], bool time, double per_s)
{
	if (!time || isnan(per_s))
		return value_text(out, false, per_s);
	snprintf(out, UNITS_COUNTER, "%.1f %%", per_s / 1e7);
	return out;
}

static void put_counter_name(FILE *out, const char *name)
{
	fputs("  ", out);
	fprintf(out, "%*s", NAME_COLUMNS - fit_cut(out, name, NAME_COLUMNS), "");
}

/* How many of these pairs of columns there is room for. */
static int pairs_in(int width)
{
	return (width - COUNTER_LEAST) / PAIR_COLUMNS;
}

static void put_counter(FILE *out, const struct comparison *c, struct counted_of of, uint32_t i,
			int width)
{
	bool time = c->tallies.tally[i].is_time;
	struct counted a = counted(c, of, i, COUNTED_A), b = counted(c, of, i, COUNTED_B);
	double total_a = a.known ? (double)a.total : NAN, total_b = b.known ? (double)b.total : NAN;
	char text[6][UNITS_COUNTER], change[UNITS_COUNTER + 1];
	int has = pairs_in(width);
	bool noise = counted_in_both(c, i) && counted_noise(c, of, i) == NOISE_WITHIN;

	put_counter_name(out, tally_name(c, i));
	fprintf(out, " %9s %9s %10s%s", value_text(text[0], time, total_a),
		value_text(text[1], time, total_b), change_text(change, time, total_a, total_b),
		noise	  ? "~"
		: has > 0 ? " "
			  : "");
	if (has > 0)
		fprintf(out, " %9s %9s", value_text(text[2], time, a.per_task),
			value_text(text[3], time, b.per_task));
	if (has > 1)
		fprintf(out, " %9s %9s", rate_text(text[4], time, a.per_work_s),
			rate_text(text[5], time, b.per_work_s));
	fputc('\n', out);
}

static void put_ipc(FILE *out, const struct comparison *c, struct counted_of of)
{
	double a = ipc(c, of, COUNTED_A), b = ipc(c, of, COUNTED_B);
	char text[2][UNITS_COUNTER], change[UNITS_COUNTER] = "-";

	if (isnan(a) && isnan(b))
		return;
	snprintf(text[0], UNITS_COUNTER, isnan(a) ? "-" : "%.2f", a);
	snprintf(text[1], UNITS_COUNTER, isnan(b) ? "-" : "%.2f", b);
	if (!isnan(a) && !isnan(b))
		snprintf(change, sizeof(change), b == a ? "0" : "%+.2f", b - a);
	put_counter_name(out, IPC);
	fprintf(out, " %9s %9s %10s\n", text[0], text[1], change);
}

static void put_item_counters(FILE *out, const struct comparison *c, struct counted_of of,
			      int width)
{
	char name[WHY_ITEM];

	why_item(name, matches_name(&c->list[of.list], of.row));
	fputs(" ", out);
	fit_cut(out, name, width - 1);
	fputc('\n', out);
	for (uint32_t i = 0; i < c->tallies.n; i++)
		if (counted_differs(c, of, i))
			put_counter(out, c, of, i, width);
	put_ipc(out, c, of);
}

static bool row_differs(const struct comparison *c, struct counted_of of)
{
	for (uint32_t i = 0; i < c->tallies.n; i++)
		if (counted_differs(c, of, i))
			return true;
	return false;
}

static void put_rows(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < c->list[shown->by].n; row++) {
		struct counted_of of = { shown->by, row };

		if (row_differs(c, of) && n++ < shown->n_most)
			put_item_counters(out, c, of, shown->width);
	}
	if (n > shown->n_most)
		fprintf(out, " (%u more)\n", n - shown->n_most);
}

/* Sums that are not of all that a side has, or are of no side. */
static void put_missing(FILE *out, const void *of)
{
	const struct comparison *c = of;

	for (uint32_t i = 0; i < c->tallies.n; i++) {
		bool a = counted(c, COUNTED_ALL, i, COUNTED_A).known;
		bool b = counted(c, COUNTED_ALL, i, COUNTED_B).known;

		if (a == b)
			continue;
		fputs("  ", out);
		put_text(out, tally_name(c, i));
		fprintf(out, ": only %s counted it\n", a ? "A" : "B");
	}
	for (uint32_t s = 0; s < c->n; s++) {
		const struct outcome *run = side_outcome(&c->side[s]);
		const struct tallies *tallies = &run->tallies;

		if (tallies->missing) {
			fprintf(out, "  %s: not counted: ", s ? "B" : "A");
			put_text(out, tallies->missing);
			fputc('\n', out);
		}
		for (uint32_t i = 0; i < tallies->n; i++)
			if (tallies->tally[i].n_processes < run->n_processes) {
				fputs("  ", out);
				put_text(out, tallies->tally[i].name);
				fprintf(out, ": %u of %u processes of %s counted it\n",
					tallies->tally[i].n_processes, run->n_processes,
					s ? "B" : "A");
			}
		if (tallies->n_dropped)
			fprintf(out,
				"  %s: its processes have more than %u counters; the sums leave "
				"out the others\n",
				s ? "B" : "A", WIRE_COUNTERS);
	}
}

static bool any_missing(const struct comparison *c)
{
	return side_outcome(&c->side[0])->tallies.missing ||
	       side_outcome(comparison_last(c))->tallies.missing;
}

static void put_titles(FILE *out, int width)
{
	fprintf(out, " %-*s %9s %9s %10s", NAME_COLUMNS + 1, "all tasks", "A", "B", "B - A");
	if (pairs_in(width) > 0)
		fprintf(out, "  %9s %9s", "A / task", "B / task");
	if (pairs_in(width) > 1)
		fprintf(out, " %9s %9s", "A/s work", "B/s work");
	fputc('\n', out);
}

void diff_counters_put(FILE *out, const struct comparison *c, const struct diff_shown *shown)
{
	if (!any(c) && !any_missing(c))
		return;
	fprintf(out, "\n%scounters by %s%s\n", shown->bold ? "\033[1m" : "", list_name[shown->by],
		shown->bold ? "\033[0m" : "");
	if (any(c)) {
		put_titles(out, shown->width);
		for (uint32_t i = 0; i < c->tallies.n; i++)
			if (on_a_side(c, i))
				put_counter(out, c, COUNTED_ALL, i, shown->width);
		put_ipc(out, c, COUNTED_ALL);
		put_rows(out, c, shown);
	}
	fit_output(out, put_missing, c, shown->width);
}

/* ---- JSON ---- */

static const char *const part_key[] = { "a", "b", "delta" };

/* null: a side does not have it. */
static void put_counted(struct json *to, const char *key, const struct comparison *c,
			struct counted_of of, uint32_t tally, enum counted_part part)
{
	struct counted counts = counted(c, of, tally, part);

	if (!counts.known) {
		json_text(to, key, NULL);
		return;
	}
	json_open(to, key, '{');
	json_signed(to, "total", (int64_t)counts.total);
	json_real(to, "per_task", "%.6g", counts.per_task);
	json_real(to, "per_work_s", "%.6g", counts.per_work_s);
	json_close(to, '}');
}

static void put_all(struct json *to, const struct comparison *c, uint32_t tally)
{
	const char *unit = c->tallies.tally[tally].unit;

	json_open(to, NULL, '{');
	json_text(to, "name", tally_name(c, tally));
	json_text(to, "unit", unit[0] ? unit : NULL);
	for (int part = COUNTED_A; part <= COUNTED_DELTA; part++)
		put_counted(to, part_key[part], c, COUNTED_ALL, tally, (enum counted_part)part);
	if (counted_in_both(c, tally))
		json_text(to, "noise", noise_name[counted_noise(c, COUNTED_ALL, tally)]);
	json_close(to, '}');
}

void diff_counters_json(struct json *to, const struct comparison *c)
{
	json_open(to, "counters", '[');
	for (uint32_t i = 0; i < c->tallies.n; i++)
		if (on_a_side(c, i))
			put_all(to, c, i);
	json_close(to, ']');
	json_open(to, "ipc", '{');
	for (int part = COUNTED_A; part <= COUNTED_DELTA; part++)
		json_real(to, part_key[part], "%.6g", ipc(c, COUNTED_ALL, (enum counted_part)part));
	json_close(to, '}');
}

void diff_counters_json_row(struct json *to, const struct comparison *c, struct counted_of of,
			    enum counted_part part)
{
	if (!any(c))
		return;
	json_open(to, "counters", '{');
	for (uint32_t i = 0; i < c->tallies.n; i++) {
		if (!counted(c, COUNTED_ALL, i, part).known)
			continue;
		if (part == COUNTED_NOISE)
			json_text(to, tally_name(c, i), noise_name[counted_noise(c, of, i)]);
		else
			put_counted(to, tally_name(c, i), c, of, i, part);
	}
	json_close(to, '}');
	if (part != COUNTED_NOISE && has_ipc(c))
		json_real(to, "ipc", "%.6g", ipc(c, of, part));
}

/* ---- CSV ---- */

static const char *const csv_column[] = { "", "_per_task", "_per_work_s" };

static void put_csv_name(FILE *out, char side, const char *name, const char *column)
{
	char text[400];

	snprintf(text, sizeof(text), "%c_%s%s", side, name, column);
	fputc(',', out);
	put_quoted(out, text);
}

void diff_counters_csv_names(FILE *out, const struct comparison *c)
{
	for (uint32_t i = 0; i < c->tallies.n; i++)
		for (int column = 0; on_a_side(c, i) && column < 3; column++) {
			put_csv_name(out, 'a', tally_name(c, i), csv_column[column]);
			put_csv_name(out, 'b', tally_name(c, i), csv_column[column]);
		}
	if (has_ipc(c))
		fputs(",a_ipc,b_ipc", out);
}

/* Empty where a side did not count, or there is nothing to divide by. */
static void put_csv_number(FILE *out, double value)
{
	fputc(',', out);
	if (!isnan(value))
		fprintf(out, "%.6g", value);
}

static void put_csv_total(FILE *out, const struct counted *counted)
{
	fputc(',', out);
	if (counted->known)
		fprintf(out, "%" PRIu64, counted->total);
}

void diff_counters_csv(FILE *out, const struct comparison *c, struct counted_of of)
{
	for (uint32_t i = 0; i < c->tallies.n; i++) {
		struct counted a = counted(c, of, i, COUNTED_A), b = counted(c, of, i, COUNTED_B);

		if (!on_a_side(c, i))
			continue;
		put_csv_total(out, &a);
		put_csv_total(out, &b);
		put_csv_number(out, a.per_task);
		put_csv_number(out, b.per_task);
		put_csv_number(out, a.per_work_s);
		put_csv_number(out, b.per_work_s);
	}
	if (has_ipc(c)) {
		put_csv_number(out, ipc(c, of, COUNTED_A));
		put_csv_number(out, ipc(c, of, COUNTED_B));
	}
}

/* SPDX-License-Identifier: MIT */
/* distribution_table.c - prints percentiles, histograms over a common axis, and steals. */
#include "tools/report/distribution_table.h"

#include <inttypes.h>
#include <math.h>

#include "tools/base/units.h"
#include "tools/table/fit.h"

#define FIGURES 65    /* columns before a picture */
#define MIN_AND_99 18 /* of them, which narrow screens leave out */
#define CELLS_LEAST 8
#define LONGEST 32 /* "; the longest began at .." */
#define CELLS_MOST 80
#define MATRIX_MOST 12u /* workers; of more, the pairs with the most steals */
#define PAIRS_MOST 12u

static const char level[] = " .:-=+*#@"; /* from none to the most */
#define LEVELS ((int)sizeof(level) - 2)

/* Decades of ns, from `low` on. */
struct axis {
	int low, high;
	int cells;
	bool narrow;
	int width; /* of the screen */
};

static int cell_of(const struct axis *axis, double ns)
{
	double at = (log10(ns < 1 ? 1 : ns) - axis->low) / (axis->high - axis->low);
	int cell = (int)(at * axis->cells);

	return cell < 0 ? 0 : cell < axis->cells ? cell : axis->cells - 1;
}

static void put_picture(FILE *out, const struct axis *axis, const struct spreads *spreads,
			const struct spread *spread)
{
	uint64_t n[CELLS_MOST] = { 0 }, most = 1;
	int last = 0;

	for (uint32_t i = 0; i < spread->n_bins; i++) {
		const struct spread_bin *bin = &spreads->bin[spread->first_bin + i];
		int cell = cell_of(axis, (double)wire_bucket_least(bin->bucket));

		n[cell] += bin->n;
		most = n[cell] > most ? n[cell] : most;
		last = cell > last ? cell : last;
	}
	for (int i = 0; i <= last; i++) {
		int at = (int)ceil((double)n[i] * LEVELS / (double)most);

		fputc(level[at], out);
	}
}

static void put_spread(FILE *out, const struct axis *axis, const struct spreads *spreads,
		       uint64_t row, const char *name)
{
	const struct spread *spread = &spreads->row[row];
	char text[5][UNITS_TIME];

	fprintf(out, "  %-6s %9" PRIu64, name, spread->n);
	if (!axis->narrow)
		fprintf(out, " %8s", units_time(text[0], spread->least));
	fprintf(out, " %8s %8s", units_time(text[1], spreads_quantile(spreads, row, .5)),
		units_time(text[2], spreads_quantile(spreads, row, .9)));
	if (!axis->narrow)
		fprintf(out, " %8s", units_time(text[3], spreads_quantile(spreads, row, .99)));
	fprintf(out, " %8s  ", units_time(text[4], spread->most));
	put_picture(out, axis, spreads, spread);
	fputc('\n', out);
}

static struct axis axis_of(const struct distributions *all, const struct look *look)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct axis axis = { .cells = (int)look->width - FIGURES, .width = (int)look->width };

	axis.narrow = axis.cells < CELLS_LEAST;
	axis.cells += axis.narrow ? MIN_AND_99 : 0;

	for (uint64_t i = 0; i < all->spreads.n_rows; i++) {
		const struct spread *spread = &all->spreads.row[i];

		if (spread->n && spread->least < least)
			least = spread->least;
		if (spread->n && spread->most > most)
			most = spread->most;
	}
	if (axis.cells > CELLS_MOST)
		axis.cells = CELLS_MOST;
	if (axis.cells < 1)
		axis.cells = 1;
	axis.low = least > 0 && least < UINT64_MAX ? (int)floor(log10((double)least)) : 0;
	axis.high = most > 0 ? (int)floor(log10((double)most)) + 1 : 1;
	return axis;
}

/* "1us   10us   100us": each where its decade begins, if there is room. */
static void put_axis(FILE *out, const struct axis *axis)
{
	static const char *const unit[] = { "ns", "us", "ms", "s", "ks", "Ms" };
	static const int decade[] = { 1, 10, 100 };
	int at = 0;

	for (int d = axis->low; d < axis->high && d < 18; d++) {
		char text[16];
		int cell = (d - axis->low) * axis->cells / (axis->high - axis->low);
		int n = snprintf(text, sizeof(text), "%d%s", decade[d % 3], unit[d / 3]);

		if ((at && cell <= at) || cell + n > axis->cells)
			continue;
		fprintf(out, "%*s%s", cell - at, "", text);
		at = cell + n;
	}
	fputc('\n', out);
}

static void put_kinds(FILE *out, const struct summary *summary, const struct axis *axis,
		      const struct look *look)
{
	const struct distributions *all = &summary->distributions;

	for (uint32_t i = 0; i < summary->rows.n && i < look->n_most; i++) {
		const struct kind_row *row = &summary->rows.row[i];
		char where[300], at[UNITS_TIME];

		place_text(where, sizeof(where), &row->code);
		fit_cut(out, where, axis->width - LONGEST);
		if (row->facts->n_begun > 1 && row->facts->max_at_ns != KINDS_NOT_THERE)
			fprintf(out, "; the longest began at %s",
				units_time(at, row->facts->max_at_ns));
		fputc('\n', out);
		for (int what = 0; what < DISTRIBUTIONS; what++) {
			uint64_t at_row = distribution_row(row->kind, (enum distribution)what);

			if (all->spreads.row[at_row].n)
				put_spread(out, axis, &all->spreads, at_row,
					   distribution_name[what]);
		}
		if (all->fate[row->kind][FATE_INLINED] + all->fate[row->kind][FATE_DONE] +
		    all->fate[row->kind][FATE_WAITED_FOR])
			fprintf(out,
				"  at the wait: %" PRIu64 " inlined, %" PRIu64 " done, %" PRIu64
				" waited for\n",
				all->fate[row->kind][FATE_INLINED], all->fate[row->kind][FATE_DONE],
				all->fate[row->kind][FATE_WAITED_FOR]);
	}
	if (summary->rows.n > look->n_most)
		fprintf(out, "(%u more kinds)\n", summary->rows.n - look->n_most);
}

/* ---- steals ---- */

static void put_matrix(FILE *out, const struct distributions *all, uint32_t n_slots)
{
	fprintf(out, "  thief \\ victim");
	for (uint32_t v = 0; v < n_slots; v++)
		fprintf(out, "%*sw%u", v < 10 ? 5 : 4, "", v);
	fputc('\n', out);
	for (uint32_t t = 0; t < n_slots; t++) {
		fprintf(out, "  w%-13u", t);
		for (uint32_t v = 0; v < n_slots; v++) {
			uint64_t n = 0;

			for (uint64_t i = 0; i < all->n_pairs; i++)
				if (all->pair[i].thief == t && all->pair[i].victim == v)
					n = all->pair[i].n;
			if (t == v)
				fprintf(out, "%7s", "-");
			else
				fprintf(out, "%7" PRIu64, n);
		}
		fputc('\n', out);
	}
}

static void put_pairs(FILE *out, const struct distributions *all)
{
	for (uint64_t i = 0; i < all->n_pairs && i < PAIRS_MOST; i++) {
		const struct steal_pair *pair = &all->pair[i];
		char text[UNITS_TIME];

		fprintf(out, "  w%u from w%u: %" PRIu64 " steals, ready for %s each\n", pair->thief,
			pair->victim, pair->n, units_time(text, pair->ns / pair->n));
	}
	if (all->n_pairs > PAIRS_MOST)
		fprintf(out, "  (%" PRIu64 " more pairs)\n", all->n_pairs - PAIRS_MOST);
}

static void put_steals(FILE *out, const struct summary *summary, const struct axis *axis)
{
	const struct distributions *all = &summary->distributions;
	const uint64_t *n_moves = summary->breakdown.n_moves;
	char name[16];

	fprintf(out, "\n%" PRIu64 " steals, %" PRIu64 " of them leaps; %" PRIu64 " migrations\n",
		n_moves[MOVE_STEAL], all->n_leaps, n_moves[MOVE_MIGRATION]);
	if (all->n_pairs == 0)
		return;
	if (summary->dag->n_slots <= MATRIX_MOST)
		put_matrix(out, all, summary->dag->n_slots);
	else
		put_pairs(out, all);
	fprintf(out, "how long stolen strands had been ready, by idle workers\n");
	for (uint32_t i = 0; i < all->n_idle; i++) {
		snprintf(name, sizeof(name), "%u", i + 1);
		if (all->spreads.row[all->by_idle + i].n)
			put_spread(out, axis, &all->spreads, all->by_idle + i, name);
	}
}

void distribution_table(FILE *out, const struct summary *summary, const struct look *look)
{
	const char *on = look->bold ? "\033[1m" : "", *off = look->bold ? "\033[0m" : "";
	struct axis axis = axis_of(&summary->distributions, look);
	uint64_t n_collapsed = 0; /* in the part */
	char text[120];

	fprintf(out, "%s%-8s %9s%s %8s %8s%s %8s  ", on, "how long", "number",
		axis.narrow ? "" : "      min", "median", "90 %", axis.narrow ? "" : "     99 %",
		"max");
	put_axis(out, &axis);
	fputs(off, out);
	put_kinds(out, summary, &axis, look);
	for (kind_id k = 0; k < summary->dag->n_kinds; k++)
		if (summary->dag->kind_collapsed[k])
			n_collapsed += summary->dag->kind_collapsed[k]->n_tasks;
	if (n_collapsed) {
		snprintf(text, sizeof(text),
			 "%" PRIu64
			 " collapsed task%s for work alone: nobody knows the other times\n",
			 n_collapsed, n_collapsed == 1 ? " counts" : "s count");
		fit_lines(out, text, (int)look->width);
	}
	put_steals(out, summary, &axis);
}

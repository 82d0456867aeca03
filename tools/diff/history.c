/* SPDX-License-Identifier: MIT */
/* history.c - judges a series of versions, and prints it. */
#include "tools/diff/history.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/diff/why.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"
#include "tools/base/ratio.h"
#include "tools/base/written.h"

uint64_t history_recorded(const struct side *side)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < side->n; i++)
		if (side->run[i].recorded < first)
			first = side->run[i].recorded;
	return side->n ? first : 0;
}

/* The change of elapsed time against the version before, and what runs differ by anyway. */
static enum noise history_noise(const struct history *history, uint32_t version)
{
	struct interval a = side_interval(history->version[version - 1].side, FIGURE_ELAPSED);
	struct interval b = side_interval(history->version[version].side, FIGURE_ELAPSED);

	return interval_noise(&a, &b);
}

/* ---- findings ---- */

/* What it lost of all time of workers, from 0 to 1, in that of the runs whose item it is. */
static double finding_share(const struct side *side, const struct item *item)
{
	for (uint32_t i = 0; item && i < side->n; i++) {
		const struct items *items = &side->run[i].list[LIST_FINDINGS];

		if (item >= items->item && item < items->item + items->n)
			return ratio(item->value[VALUE_LOST],
				     side->run[i].figure[FIGURE_CUMULATIVE]);
	}
	return 0;
}

static const struct item *finding_of(const struct history *history, uint32_t finding,
				     uint32_t version)
{
	return history->findings.item[(uint64_t)finding * history->findings.n_runs + version];
}

static double history_share(const struct history *history, uint32_t finding, uint32_t version)
{
	return finding_share(history->version[version].side, finding_of(history, finding, version));
}

/* The finding of the run in which its share is in the middle; NULL: most runs do not have it.  So a
 * run on a loaded machine, whose waits for CPUs take a finding's loss, decides nothing. */
static const struct item *middle_item(const struct side *side, const struct item *const *of_run)
{
	for (uint32_t i = 0; i < side->n; i++) {
		double share = finding_share(side, of_run[i]);
		uint32_t n_before = 0;

		for (uint32_t j = 0; j < side->n; j++) {
			double other = finding_share(side, of_run[j]);

			n_before += other < share || (other == share && j < i);
		}
		if (n_before == (side->n - 1) / 2)
			return of_run[i];
	}
	return NULL;
}

/* From a column for each run to one for each version; rows that no version has are left out. */
static void reduce_findings(struct history *history, const struct matches *all)
{
	struct matches *list = &history->findings;

	list->n_runs = history->n;
	list->item = xcalloc((uint64_t)all->n * history->n + 1, sizeof(*list->item));
	for (uint32_t row = 0; row < all->n; row++) {
		const struct item **item = &list->item[(uint64_t)list->n * history->n];
		const struct item *const *of_run = &all->item[(uint64_t)row * all->n_runs];
		bool is_any = false;

		for (uint32_t i = 0; i < history->n; i++) {
			const struct side *side = history->version[i].side;

			item[i] = middle_item(side, of_run);
			is_any |= item[i] != NULL;
			of_run += side->n;
		}
		list->n += is_any;
	}
}

static double share_of(const struct history *history, const struct item *const *item)
{
	double most = 0;

	for (uint32_t i = 0; i < history->n; i++)
		most = fmax(most, finding_share(history->version[i].side, item[i]));
	return most;
}

static int largest_share_first(const void *x, const void *y, void *context)
{
	const struct item *const *a = x, *const *b = y;
	const struct history *history = context;
	double of_a = share_of(history, a), of_b = share_of(history, b);

	return (of_a < of_b) - (of_a > of_b) ?: item_compare_rows(a, b, history->n);
}

static void match_findings(struct history *history)
{
	struct matches *list = &history->findings, all = { 0 };
	const struct outcome **run;
	uint32_t n = 0;

	for (uint32_t i = 0; i < history->n; i++)
		n += history->version[i].side->n;
	run = xcalloc(n + 1ull, sizeof(*run));
	n = 0;
	for (uint32_t i = 0; i < history->n; i++)
		for (uint32_t r = 0; r < history->version[i].side->n; r++)
			run[n++] = &history->version[i].side->run[r];
	matches_build(&all, run, n, LIST_FINDINGS);
	reduce_findings(history, &all);
	qsort_r(list->item, list->n, history->n * sizeof(*list->item), largest_share_first,
		history);
	matches_free(&all);
	free(run);
}

/* ---- verdicts ---- */

static void keep_why(struct version *version, const struct comparison *c)
{
	version->why = written(why_put, c, NULL);
}

static int judge_version(struct history *history, uint32_t i, uint32_t against, struct err *err)
{
	const struct question question = { .threshold = history->threshold };
	struct version *version = &history->version[i];
	struct side pair[] = { *history->version[against].side, *version->side }; /* borrowed */
	struct comparison comparison = { 0 };
	int error = comparison_build(&comparison, pair, 2, NULL, &question, err);

	if (error)
		return error;
	version->against = against;
	version->verdict = comparison.verdict;
	version->noise = comparison.noise;
	version->undecided = comparison.undecided;
	version->ratio = ratio(comparison.b, comparison.a);
	keep_why(version, &comparison);
	comparison_free(&comparison);
	if (side_is_torn(&pair[0]) || side_is_torn(&pair[1])) {
		version->undecided = true;
		version->verdict = VERDICT_SAME;
	}
	return error;
}

static void find_first_bad(struct history *history)
{
	uint32_t suspect = HISTORY_NONE;

	history->first_bad = history->first_suspect = HISTORY_NONE;
	for (uint32_t i = 0; i < history->n; i++) {
		const struct version *version = &history->version[i];

		if (version->undecided) {
			suspect = suspect == HISTORY_NONE ? i : suspect;
			continue;
		}
		if (version->verdict != VERDICT_WORSE) {
			history->first_bad = history->first_suspect = HISTORY_NONE;
		} else if (history->first_bad == HISTORY_NONE) {
			history->first_bad = i;
			history->first_suspect = suspect;
		}
		suspect = HISTORY_NONE;
	}
}

int history_build(struct history *history, struct side *side, uint32_t n, size_t skipped,
		  double threshold, struct err *err)
{
	uint32_t reference = 0;
	int error = 0;

	*history = (struct history){ .n = n, .threshold = threshold };
	history->version = xcalloc(n + 1ull, sizeof(*history->version));
	for (uint32_t i = 0; i < n; i++)
		history->version[i] = (struct version){ .side = &side[i],
							.name = side[i].label + skipped,
							.against = HISTORY_NONE };
	for (uint32_t i = 1; i < n && !error; i++) {
		const struct version *version = &history->version[i];

		error = judge_version(history, i, reference, err);
		/* a damaged first one is no mark for others */
		if (!error &&
		    ((version->verdict == VERDICT_BETTER && version->noise == NOISE_BEYOND) ||
		     side_is_torn(&side[reference])))
			reference = i;
	}
	if (!error)
		match_findings(history);
	find_first_bad(history);
	return error;
}

void history_free(struct history *history)
{
	for (uint32_t i = 0; history->version && i < history->n; i++)
		free(history->version[i].why);
	free(history->version);
	matches_free(&history->findings);
	*history = (struct history){ 0 };
}

static const char *judgement(const struct version *version)
{
	if (version->against == HISTORY_NONE)
		return NULL;
	return version->undecided ? "undecided" : verdict_name[version->verdict];
}

/* Elapsed time over that of the version before; 0: unknown. */
static double change_of_elapsed(const struct history *history, uint32_t i)
{
	uint64_t before = i ? side_figure(history->version[i - 1].side, FIGURE_ELAPSED) : 0;

	return before ? (double)side_figure(history->version[i].side, FIGURE_ELAPSED) /
				(double)before
		      : 0;
}

/* ---- for people ---- */

#define LINE_COLUMNS 44	 /* of a version, besides its name, */
#define SHARE_COLUMNS 29 /* and of its components */
#define NAME_LEAST 7
#define NAME_MOST 40
#define SHARE_LEAST 0.05 /* a healthy program has no finding above that [tptrace-findings(7)] */
#define ROWS_MOST 8u	 /* findings: with a table of ten versions they fit 24 lines */
#define STRIP_LEAST 10
#define FINDING_COLUMNS 48 /* of a finding, before its strip */

static int name_columns(const struct history *history, int width)
{
	int most = NAME_LEAST, room = width - LINE_COLUMNS;

	for (uint32_t i = 0; i < history->n; i++)
		if (fit_columns(history->version[i].name) > most)
			most = fit_columns(history->version[i].name);
	room = room > NAME_MOST ? NAME_MOST : room;
	return most > room ? room : most;
}

static void put_share_of(FILE *out, const struct side *side, enum figure figure, int width)
{
	uint64_t all = side_figure(side, FIGURE_CUMULATIVE);

	fprintf(out, " %*.0f%%", width,
		all ? 100 * (double)side_figure(side, figure) / (double)all : 0);
}

static void put_version(FILE *out, const struct history *history, uint32_t i, int columns,
			bool shares)
{
	const struct version *version = &history->version[i];
	double change = change_of_elapsed(history, i);
	char text[24] = "";
	int n;

	fprintf(out, " %4u  ", i + 1);
	n = fit_cut(out, version->name, columns);
	if (change > 0)
		snprintf(text, sizeof(text), "%+.1f %%", 100 * (change - 1));
	fprintf(out, "%*s %4u %9s %9s%s  %-*s", columns - n, "", version->side->n,
		TIME_TEXT(side_figure(version->side, FIGURE_ELAPSED)), text,
		change > 0 && history_noise(history, i) == NOISE_WITHIN ? "~" : " ", shares ? 9 : 0,
		judgement(version) ? judgement(version) : "");
	if (shares) {
		put_share_of(out, version->side, FIGURE_WORK, 4);
		put_share_of(out, version->side, FIGURE_DELAY, 5);
		put_share_of(out, version->side, FIGURE_SCHED, 7);
		put_share_of(out, version->side, FIGURE_APP, 5);
	}
	fputc('\n', out);
}

/* Blank: none; `.`: less than a tenth; 1 to 9: tenths. */
static char share_mark(double share)
{
	if (share <= 0)
		return ' ';
	return share < 0.1 ? '.' : share >= 0.9 ? '9' : (char)('0' + (int)(10 * share));
}

static double most_of(const struct history *history, uint32_t finding)
{
	double most = 0;

	for (uint32_t i = 0; i < history->n; i++)
		most = fmax(most, history_share(history, finding, i));
	return most;
}

static void put_series(FILE *out, const struct history *history, int width)
{
	int room = width - FINDING_COLUMNS - 2;
	uint32_t from = 0;

	room = room < STRIP_LEAST ? STRIP_LEAST : room;
	if (history->n > (uint32_t)room)
		from = history->n - (uint32_t)room;
	for (uint32_t row = 0; row < history->findings.n && row < ROWS_MOST; row++) {
		const struct item *item = matches_name(&history->findings, row);
		char text[WHY_ITEM + 64];
		int n;

		if (most_of(history, row) < SHARE_LEAST)
			return;
		if (row == 0)
			fprintf(out,
				"\nfindings by share of all time of workers, in tenths; %u to %u\n",
				from + 1, history->n);
		snprintf(text, sizeof(text), "%s  %s", item->id, ITEM_TEXT(item));
		fputs("  ", out);
		n = fit_cut(out, text, FINDING_COLUMNS - 4);
		fprintf(out, "%*s |", FINDING_COLUMNS - 4 - n, "");
		for (uint32_t i = from; i < history->n; i++)
			fputc(share_mark(history_share(history, row, i)), out);
		fputs("|\n", out);
	}
}

static void put_summary(FILE *out, const void *of)
{
	const struct history *history = of;
	const struct version *bad;

	if (history->first_bad == HISTORY_NONE) {
		const struct version *last = &history->version[history->n - 1];

		if (last->undecided)
			fputs("the last one cannot be judged: waits for a CPU, or a damaged trace, "
			      "make the difference\n",
			      out);
		else
			fputs("the last one is not worse than the best before it\n", out);
		return;
	}
	bad = &history->version[history->first_bad];
	fprintf(out, "first bad: %u ", history->first_bad + 1);
	put_text(out, bad->name);
	if (history->first_suspect != HISTORY_NONE)
		fprintf(out, ", or one from %u on, which cannot be judged",
			history->first_suspect + 1);
	fputc('\n', out);
	fprintf(out, "A is %u, B is %u: ", bad->against + 1, history->first_bad + 1);
	put_text(out, bad->why);
	fputs("\n", out);
	if (bad->noise == NOISE_UNKNOWN)
		fputs("noise is unknown: several runs of each version show it (record --repeat "
		      "5)\n",
		      out);
	fputs("tptrace diff ", out);
	put_text(out, history->version[bad->against].side->label);
	fputc(' ', out);
	put_text(out, bad->side->label);
	fputs(" has more\n", out);
}

void history_screen(FILE *out, const struct history *history, const struct diff_shown *shown)
{
	int columns = name_columns(history, shown->width);
	bool shares = shown->width >= LINE_COLUMNS + columns + SHARE_COLUMNS;

	fputs(shown->bold ? "\033[1m" : "", out);
	diff_wrapped(out, put_summary, history, shown->width);
	fputs(shown->bold ? "\033[0m" : "", out);
	fprintf(out, "\n %4s  %-*s %4s %9s %9s   %-*s", "", columns, "", "runs", "elapsed",
		"change", shares ? 9 : 0, "verdict");
	if (shares)
		fprintf(out, " %5s %6s %8s %6s", "work", "delay", "nw-sched", "nw-app");
	fputc('\n', out);
	for (uint32_t i = 0; i < history->n; i++)
		put_version(out, history, i, columns, shares);
	put_series(out, history, shown->width);
}

/* ---- for scripts ---- */

static void put_findings_of(struct json *to, const struct history *history, uint32_t i)
{
	json_open(to, "findings", '[');
	for (uint32_t row = 0; row < history->findings.n; row++) {
		const struct item *item = finding_of(history, row, i);

		if (!item)
			continue;
		json_open(to, NULL, '{');
		json_text(to, "id", item->id);
		json_text(to, "name", item->name);
		json_text(to, item->has_line ? "file" : "module",
			  item->where[0] ? item->where : NULL);
		json_number(to, "line", item->line);
		json_number(to, "lost_ns", item->value[VALUE_LOST]);
		json_real(to, "share", "%.4f", history_share(history, row, i));
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void put_version_json(struct json *to, const struct history *history, uint32_t i)
{
	const struct version *version = &history->version[i];
	const struct outcome *run = side_outcome(version->side);
	struct interval interval = side_interval(version->side, FIGURE_ELAPSED);
	uint64_t recorded = history_recorded(version->side);

	json_open(to, NULL, '{');
	json_text(to, "name", version->name);
	json_text(to, "label", version->side->label);
	json_number(to, "recorded", recorded ? recorded : JSON_UNKNOWN);
	JSON_NUMBERS(to, { "runs", version->side->n }, { "workers", run->n_workers });
	for (int f = 0; f < FIGURE_EDGES; f++)
		json_number(to, figure_key[f], run->figure[f]);
	json_pair(to, "interval", interval.low, interval.high);
	diff_put_ratio(to, "change", change_of_elapsed(history, i));
	json_text(to, "verdict", i ? verdict_name[version->verdict] : NULL);
	json_bool(to, "undecided", version->undecided);
	json_text(to, "noise", i ? noise_name[version->noise] : NULL);
	json_text(to, "against", i ? history->version[version->against].name : NULL);
	diff_put_ratio(to, "ratio", version->ratio);
	json_text(to, "why", version->why);
	put_findings_of(to, history, i);
	json_close(to, '}');
}

static const char *name_at(const struct history *history, uint32_t i)
{
	return i == HISTORY_NONE ? NULL : history->version[i].name;
}

void history_json(FILE *out, const struct history *history)
{
	struct json json, *to = &json;

	json_begin(to, out);
	json_text(to, "first_bad", name_at(history, history->first_bad));
	json_text(to, "first_suspect", name_at(history, history->first_suspect));
	json_real(to, "threshold_percent", "%g", 100 * history->threshold);
	json_open(to, "versions", '[');
	for (uint32_t i = 0; i < history->n; i++)
		put_version_json(to, history, i);
	json_close(to, ']');
	json_end(to);
}

/* The finding that lost most, if there is one. */
static void put_largest(FILE *out, const struct history *history, uint32_t i)
{
	const struct item *most = NULL;

	for (uint32_t row = 0; row < history->findings.n; row++) {
		const struct item *item = finding_of(history, row, i);

		if (item && (!most || item->value[VALUE_LOST] > most->value[VALUE_LOST]))
			most = item;
	}
	put_quoted(out, most ? most->id : "");
	fputc(',', out);
	put_quoted(out, most ? most->name : "");
	fputc(',', out);
	put_quoted(out, most ? most->where : "");
	fprintf(out, ",%u,%" PRIu64 "\n", most ? most->line : 0,
		most ? most->value[VALUE_LOST] : 0);
}

void history_csv(FILE *out, const struct history *history)
{
	fputs("name,recorded,runs,workers", out);
	for (int f = 0; f < FIGURE_EDGES; f++)
		fprintf(out, ",%s", figure_key[f]);
	fputs(",verdict,noise,against,ratio,finding,finding_name,place,line,lost_ns\n", out);
	for (uint32_t i = 0; i < history->n; i++) {
		const struct version *version = &history->version[i];
		const struct outcome *run = side_outcome(version->side);
		const char *against = name_at(history, version->against);

		put_quoted(out, version->name);
		fprintf(out, ",%" PRIu64 ",%u,%" PRIu64, history_recorded(version->side),
			version->side->n, run->n_workers);
		for (int f = 0; f < FIGURE_EDGES; f++)
			fprintf(out, ",%" PRIu64, run->figure[f]);
		fprintf(out, ",%s,%s,", i ? judgement(version) : "",
			i ? noise_name[version->noise] : "");
		put_quoted(out, against ? against : "");
		if (version->ratio > 0)
			fprintf(out, ",%.4f,", version->ratio);
		else
			fputs(",,", out);
		put_largest(out, history, i);
	}
}

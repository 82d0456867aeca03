/* SPDX-License-Identifier: MIT */
/* why.c - finds the components, and their kinds, that make most of a difference. */
#include "tools/diff/why.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/table/put.h"
#include "tools/base/ratio.h"
#include "tools/base/utf8.h"
#include "tools/base/xalloc.h"
#include "tools/table/fit.h"
#include "tools/base/written.h"

#define CAUSES_MOST 2
#define CAUSE_SHARE 0.2 /* of all that changed in the same direction */
#define STATE_SHARE 0.8
#define ALL_SHARE 0.95	  /* "all of it" */
#define CPU_WAIT_SHARE 10 /* CPU wait that differs by a tenth of the work's difference matters */
#define APP_SHARE 50	  /* no-work-app that differs by a fiftieth of elapsed x P matters */

static const char *const component[] = { "work", "delay", "no-work-sched", "no-work-app" };

char *why_letter(char out[WHY_NAME], uint32_t side)
{
	if (side < 26)
		snprintf(out, WHY_NAME, "%c", (char)('A' + side));
	else
		snprintf(out, WHY_NAME, "S%u", (side + 1) % 100);
	return out;
}

char *why_item(char out[WHY_ITEM], const struct item *item)
{
	if (item->has_line)
		snprintf(out, WHY_ITEM, "%s %s:%u", item->name, item->where, item->line);
	else
		snprintf(out, WHY_ITEM, "%s", item->name);
	return out;
}

/* "0.90 core-seconds".  Returns out. */
#define WHY_CORE 32
#define CORE_TEXT(ns) why_core((char[WHY_CORE]){ 0 }, ns)
static char *why_core(char out[WHY_CORE], uint64_t ns)
{
	if (ns >= 1000000000)
		snprintf(out, WHY_CORE, "%.2f core-seconds", (double)ns * 1e-9);
	else
		snprintf(out, WHY_CORE, "%s of core time", TIME_TEXT(ns));
	return out;
}

/* ---- which is faster ---- */

static void put_head_of_kind(FILE *out, const struct comparison *c)
{
	put_text(out, ITEM_TEXT(matches_name(&c->list[LIST_KINDS], c->kind_row)));
	fprintf(out, " takes %s in %s, %s in %s", CORE_TEXT(c->b), LETTER(c->n - 1),
		CORE_TEXT(c->a), LETTER(0));
	if (c->a)
		fprintf(out, " (%+.1f %%)", 100 * ((double)c->b / (double)c->a - 1));
}

/* Waits for a CPU make the difference. */
static void put_undecided(FILE *out, const struct comparison *c)
{
	fputs("; waits for a CPU took ", out);
	for (uint32_t s = 0; s < c->n; s += c->n - 1) {
		const struct outcome *run = side_outcome(&c->side[s]);

		fprintf(out, "%s%s of %s", s ? " and " : "",
			TIME_TEXT(run->figure[FIGURE_LOADED] / run->n_workers), LETTER(s));
	}
	fputs(" a worker: compare work, findings, or runs on a quiet machine", out);
}

static void put_why_head(FILE *out, const struct comparison *c)
{
	uint64_t p_a = side_outcome(&c->side[0])->n_workers;
	uint64_t p_b = side_outcome(comparison_last(c))->n_workers;
	const char *letter[] = { LETTER(c->n - 1), LETTER(0) };
	const char *time[] = { TIME_TEXT(c->b), TIME_TEXT(c->a) };

	if (c->undecided)
		fprintf(out, "%s cannot be judged against %s", letter[0], letter[1]);
	else if (c->verdict == VERDICT_SAME)
		fprintf(out, "%s takes as long as %s", letter[0], letter[1]);
	else if (!c->a || !c->b) /* damaged, or without tasks: no ratio */
		fprintf(out, "%s is %s than %s", letter[0], c->b > c->a ? "slower" : "faster",
			letter[1]);
	else
		fprintf(out, "%s is %.2f x %s than %s", letter[0],
			c->b > c->a ? ratio(c->b, c->a) : ratio(c->a, c->b),
			c->b > c->a ? "slower" : "faster", letter[1]);
	if (p_a == p_b)
		fprintf(out, " (%s, %s", time[0], time[1]);
	else
		fprintf(out, " (%s on %" PRIu64 " worker%s, %s on %" PRIu64 "; efficiency %.0f %%",
			time[0], p_b, units_s(p_b), time[1], p_a,
			100 * ratio(c->a * p_a, c->b * p_b));
	if (c->undecided)
		put_undecided(out, c);
	else if (c->verdict == VERDICT_SAME && c->a != c->b && c->noise == NOISE_WITHIN)
		fprintf(out, "; %+.1f %% is within noise", 100 * ((double)c->b / (double)c->a - 1));
	else if (c->verdict == VERDICT_SAME && c->a != c->b)
		fprintf(out, "; %+.1f %% is within the threshold of %g %%",
			100 * ((double)c->b / (double)c->a - 1), 100 * c->question.threshold);
	fputs(")", out);
}

/* ---- why ---- */

/* The sides have not as many: what changed for one adds up to how much longer they took. */
static bool is_of_worker(const struct comparison *c)
{
	uint64_t p_a = side_outcome(&c->side[0])->n_workers;
	uint64_t p_b = side_outcome(comparison_last(c))->n_workers;

	return p_a != p_b && p_a && p_b;
}

/* How much more the last side has than the first, or each of its workers. */
static int64_t more_of(const struct comparison *c, uint64_t a, uint64_t b)
{
	if (!is_of_worker(c))
		return (int64_t)(b - a);
	return (int64_t)(b / side_outcome(comparison_last(c))->n_workers) -
	       (int64_t)(a / side_outcome(&c->side[0])->n_workers);
}

static int64_t more_of_figure(const struct comparison *c, enum figure figure)
{
	return more_of(c, side_figure(&c->side[0], figure),
		       side_figure(comparison_last(c), figure));
}

static int64_t more_of_kind(const struct comparison *c, uint32_t row, enum value value)
{
	return more_of(c, comparison_item(c, LIST_KINDS, row, 0, value),
		       comparison_item(c, LIST_KINDS, row, c->n - 1, value));
}

/* The kind with the most of a component's change in one direction; UINT32_MAX if none has any. */
static uint32_t kind_of_change(const struct comparison *c, enum value value, int64_t sign)
{
	const struct matches *kinds = &c->list[LIST_KINDS];
	uint32_t best = UINT32_MAX;
	int64_t most = 0;

	for (uint32_t row = 0; row < kinds->n; row++) {
		int64_t change = sign * more_of_kind(c, row, value);

		if (change > most) {
			most = change;
			best = row;
		}
	}
	return best;
}

static void put_kind(FILE *out, const struct comparison *c, uint32_t row, double share, int value)
{
	double stretch = comparison_stretch(c, row);
	bool in_a = comparison_item(c, LIST_KINDS, row, 0, VALUE_TASKS);
	bool in_b = comparison_item(c, LIST_KINDS, row, c->n - 1, VALUE_TASKS);

	if (share >= ALL_SHARE)
		fputs(", all of it in ", out);
	else
		fprintf(out, ", %.0f %% of it in ", 100 * share);
	put_text(out, ITEM_TEXT(matches_name(&c->list[LIST_KINDS], row)));
	if (!in_a || !in_b)
		fprintf(out, " (which %s does not have)", LETTER(in_a ? c->n - 1 : 0));
	else if (value == VALUE_WORK && stretch > 0)
		fprintf(out, " (stretch %.2f)", stretch);
}

/* The state in which workers were for most of a component's change; STATES if in none. */
static int state_of_change(const struct comparison *c, int i, int64_t sign, uint64_t change)
{
	int state = i == VALUE_WORK ? STATES : 0;

	while (state < STATES &&
	       (double)(sign * more_of_figure(c, FIGURE_STATES + (enum figure)(4 * state + i))) <
		       STATE_SHARE * (double)change)
		state++;
	return state;
}

static void put_cause(FILE *out, const struct comparison *c, int i, int64_t sign)
{
	uint64_t change = (uint64_t)(sign * more_of_figure(c, FIGURE_WORK + (enum figure)i));
	uint32_t row = kind_of_change(c, (enum value)i, sign);
	int state = state_of_change(c, i, sign, change);

	fprintf(out, "%s %s by ", component[i], sign > 0 ? "grew" : "shrank");
	if (is_of_worker(c))
		fprintf(out, "%s a worker", TIME_TEXT(change));
	else
		fputs(CORE_TEXT(change), out);
	if (state < STATES)
		fprintf(out, " (%s)", state_name[state]);
	if (row != UINT32_MAX)
		put_kind(out, c, row,
			 (double)(sign * more_of_kind(c, row, (enum value)i)) / (double)change, i);
}

/* The components with most of the change, in the direction of all of it. */
static void put_causes(FILE *out, const struct comparison *c)
{
	int64_t change[4], sum = 0, sign = c->b < c->a ? -1 : 1;
	const char *before = ": ";

	for (int i = 0; i < 4; i++) {
		change[i] = sign * more_of_figure(c, FIGURE_WORK + (enum figure)i);
		sum += change[i] > 0 ? change[i] : 0;
	}
	for (int n = 0; n < CAUSES_MOST; n++) {
		int most = 0;

		for (int i = 1; i < 4; i++)
			if (change[i] > change[most])
				most = i;
		if (change[most] <= 0 || (double)change[most] < CAUSE_SHARE * (double)sum)
			break;
		fputs(before, out);
		put_cause(out, c, most, sign);
		change[most] = 0;
		before = "; ";
	}
}

void why_put(FILE *out, const void *comparison)
{
	const struct comparison *c = comparison;

	if (c->question.kind)
		put_head_of_kind(out, c);
	else
		put_why_head(out, c);
	if (!c->question.kind && c->verdict != VERDICT_SAME)
		put_causes(out, c);
}

/* ---- what else to know ---- */

static void put_noise(FILE *out, const struct comparison *c)
{
	uint32_t n_a = c->side[0].n, n_b = comparison_last(c)->n;
	uint32_t least = n_a < n_b ? n_a : n_b;
	const char *letter[] = { LETTER(0), LETTER(c->n - 1) };

	if (n_a == 1 && n_b == 1)
		fprintf(out,
			"noise is unknown, with one run each; more: `tptrace record --repeat 5`\n");
	else if (least == 1)
		fprintf(out, "noise of %s is unknown: it is one run; of %s: %s\n", letter[n_a > 1],
			letter[n_a == 1],
			(n_a > n_b ? n_a : n_b) < INTERVAL_LEAST
				? "the range of its runs"
				: "95 % confidence interval of the median");
	else
		fprintf(out, "figures are of the median run; noise: %s, of %u and %u runs\n",
			least < INTERVAL_LEAST ? "the range of all runs"
					       : "95 % confidence interval of the median",
			n_a, n_b);
}

/* It is the program's own parallelism, so that it should not depend on who runs its tasks. */
static void put_app(FILE *out, const struct comparison *c)
{
	const struct side *b = comparison_last(c);
	const struct outcome *x = side_outcome(&c->side[0]), *y = side_outcome(b);
	uint64_t app_x = x->figure[FIGURE_APP], app_y = y->figure[FIGURE_APP];
	uint64_t more = app_x > app_y ? app_x - app_y : app_y - app_x;

	if (strcmp(x->runtimes, y->runtimes) == 0 || x->n_workers != y->n_workers ||
	    more < x->figure[FIGURE_CUMULATIVE] / APP_SHARE ||
	    comparison_noise(c, FIGURE_APP) == NOISE_WITHIN)
		return;
	fputs("no-work-app differs between the runtimes (", out);
	fprintf(out, "%s, %s): it is not the program alone\n", CORE_TEXT(app_y), CORE_TEXT(app_x));
}

/* Work is time between calls of the runtime, and so the time in which a worker waited for a CPU is.
 */
static void put_cpu_wait(FILE *out, const struct comparison *c)
{
	uint64_t a = side_figure(&c->side[0], FIGURE_CPU_WAIT);
	uint64_t b = side_figure(comparison_last(c), FIGURE_CPU_WAIT);
	uint64_t more = a > b ? a - b : b - a;
	int64_t work = comparison_figure(c, FIGURE_WORK);

	if (c->undecided || more < (uint64_t)(work < 0 ? -work : work) / CPU_WAIT_SHARE ||
	    more < side_figure(&c->side[0], FIGURE_CUMULATIVE) / APP_SHARE)
		return;
	fprintf(out, "workers waited for CPUs: %s in %s, %s in %s; work holds some of that\n",
		CORE_TEXT(b), LETTER(c->n - 1), CORE_TEXT(a), LETTER(0));
}

/* More workers do not make the tasks do more: they are in each other's way. */
static void put_work_stretch(FILE *out, const struct comparison *c)
{
	struct stretched stretched;
	struct stretch_sum same;

	if (!comparison_stretched(c, &stretched))
		return;
	same = comparison_same(c, stretched.row);
	fprintf(out,
		"WORK STRETCH: %" PRIu64
		" tasks, the same in both, work for %s, before %s (%.2f x)",
		stretched.all.n, CORE_TEXT(stretched.all.b_ns), CORE_TEXT(stretched.all.a_ns),
		stretch_of(&stretched.all));
	fprintf(out, "; %.0f %% of that growth is in ", 100 * stretched.share);
	put_text(out, ITEM_TEXT(matches_name(&c->list[LIST_KINDS], stretched.row)));
	fprintf(out,
		" (%.2f x). Workers slow each other down: false sharing, memory bandwidth, "
		"caches\n",
		stretch_of(&same));
}

/* How many of the side's runs were called as none before them was. */
static uint32_t count_calls(const struct side *side)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->n; i++) {
		uint32_t before = 0;

		while (strcmp(side->run[before].command, side->run[i].command) != 0)
			before++;
		n += before == i;
	}
	return n;
}

/* Runs on several inputs differ by more than noise. */
static void put_calls(FILE *out, const struct comparison *c)
{
	for (uint32_t s = 0; s < c->n; s++) {
		const struct side *side = &c->side[s];
		uint32_t n = count_calls(side), other = 0;

		if (n < 2)
			continue;
		while (strcmp(side->run[other].command, side_outcome(side)->command) == 0)
			other++;
		fprintf(out, "the %u runs of %s were called in %u ways, like ", side->n, LETTER(s),
			n);
		put_text(out, side_outcome(side)->command);
		fputs(" and ", out);
		put_text(out, side->run[other].command);
		fputs(": they may differ by more than noise\n", out);
	}
}

/* Sides whose times are drawn, or longer on purpose, differ for that; of losses, what was seen of
 * them is compared. */
static void put_unlike(FILE *out, const struct comparison *c)
{
	for (uint32_t s = 0; s < c->n; s++)
		if (side_outcome(&c->side[s])->model[0])
			fprintf(out, "%s ran in virtual time (record --virtual): %s.\n", LETTER(s),
				side_outcome(&c->side[s])->model);
	for (uint32_t s = 0; s < c->n; s++)
		if (side_outcome(&c->side[s])->slowed[0])
			fprintf(out, "%s was slowed on purpose (record --slow): %s.\n", LETTER(s),
				side_outcome(&c->side[s])->slowed);
	for (uint32_t s = 0; s < c->n; s++)
		if (side_figure(&c->side[s], FIGURE_EVENTS_LOST))
			fprintf(out, "LOST: %" PRIu64 " events of %s were dropped\n",
				side_figure(&c->side[s], FIGURE_EVENTS_LOST), LETTER(s));
}

void why_put_notes(FILE *out, const void *comparison)
{
	const struct comparison *c = comparison;

	put_unlike(out, c);
	put_calls(out, c);
	put_noise(out, c);
	put_cpu_wait(out, c);
	put_work_stretch(out, c);
	put_app(out, c);
}

/* ---- lines ---- */

void diff_rest(FILE *out, const char *text, int column, int width)
{
	fit_cut(out, text, width - column > DIFF_REST_LEAST ? width - column : DIFF_REST_LEAST);
	fputc('\n', out);
}

void diff_item(FILE *out, const struct item *item, int column, int width)
{
	char text[WHY_ITEM], cut[WHY_ITEM];
	int over = column + fit_columns(why_item(text, item)) - width;
	int room = (int)strlen(item->name) - over - 2;

	if (over <= 0 || room < 4 || !item->has_line) {
		diff_rest(out, text, column, width);
		return;
	}
	snprintf(cut, sizeof(cut), "%.*s.. %s:%u", (int)utf8_part(item->name, (size_t)room),
		 item->name, item->where, item->line);
	diff_rest(out, cut, column, width);
}

void diff_wrapped(FILE *out, void (*put)(FILE *out, const void *of), const void *of, int width)
{
	char *all = written(put, of, NULL), *text = all;

	while (text && *text) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		fit_words(out, line ? line : "", 0, 2, width);
		free(line);
		text += n + (text[n] == '\n');
	}
	free(all);
}

void diff_put_ratio(struct json *to, const char *key, double ratio)
{
	json_real(to, key, "%.4f", ratio > 0 ? ratio : (double)NAN);
}

/* SPDX-License-Identifier: MIT */
/* compare.c - matches the sides' items, and judges. */
#include "tools/diff/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/nearest.h"
#include "tools/base/ratio.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/*
 * How the work of the same tasks differs between two runs: of all that lineage.h can
 * match, and of those that are stolen in the second run, and not.
 *
 * Stretch is work in the second run / work in the first.
 */

/* The rows of the kinds of a run. */
static uint32_t *rows_of(const struct side *side, const struct matches *kinds, uint32_t run)
{
	const struct items *items = &side_outcome(side)->list[LIST_KINDS];
	uint32_t *row = xcalloc(items->n + 1ull, sizeof(*row));

	for (uint32_t i = 0; i < kinds->n; i++) {
		const struct item *item = kinds->item[(uint64_t)i * kinds->n_runs + run];

		if (item)
			row[item - items->item] = i;
	}
	return row;
}

static uint64_t difference(const struct side *a, const struct side *b,
			   const struct stretch_task *at)
{
	uint64_t x = a->lineage.task[at->a].work_ns, y = b->lineage.task[at->b].work_ns;

	return x > y ? x - y : y - x;
}

static void keep_most(struct stretch *stretch, const struct side *a, const struct side *b,
		      const struct stretch_task *task)
{
	uint64_t ns = difference(a, b, task);
	uint32_t at = stretch->n_most;

	if (ns == 0 || (at == STRETCH_TASKS && ns <= difference(a, b, &stretch->most[at - 1])))
		return;
	if (at < STRETCH_TASKS)
		stretch->n_most++;
	else
		at--;
	for (; at > 0 && difference(a, b, &stretch->most[at - 1]) < ns; at--)
		stretch->most[at] = stretch->most[at - 1];
	stretch->most[at] = *task;
}

static void add(struct stretch_sum *sum, uint64_t a_ns, uint64_t b_ns)
{
	sum->n++;
	sum->a_ns += a_ns;
	sum->b_ns += b_ns;
}

static void add_to(struct stretch_row *row, const struct lineage_task *a,
		   const struct lineage_task *b)
{
	add(&row->all, a->work_ns, b->work_ns);
	add(b->flags & LINEAGE_STOLEN ? &row->stolen : &row->local, a->work_ns, b->work_ns);
}

struct walk {
	const struct side *a, *b;
	uint32_t *a_row, *b_row;
};

static void add_task(struct stretch *stretch, const struct walk *walk, uint32_t a, uint32_t b)
{
	const struct lineage_task *x = &walk->a->lineage.task[a], *y = &walk->b->lineage.task[b];
	uint32_t row = walk->a_row[side_outcome(walk->a)->item_of_kind[x->kind]];
	struct stretch_task task = { a, b, row };

	if (row != walk->b_row[side_outcome(walk->b)->item_of_kind[y->kind]]) {
		stretch->n_other++;
		return;
	}
	add_to(&stretch->sum, x, y);
	add_to(&stretch->row[row], x, y);
	keep_most(stretch, walk->a, walk->b, &task);
}

static void match(struct stretch *stretch, const struct walk *walk)
{
	const struct lineage *a = &walk->a->lineage, *b = &walk->b->lineage;

	for (uint32_t i = 0, j = 0; i < a->n_ordered && j < b->n_ordered;) {
		uint64_t x = a->task[a->order[i]].key, y = b->task[b->order[j]].key;

		if (x == y)
			add_task(stretch, walk, a->order[i], b->order[j]);
		i += x <= y;
		j += y <= x;
	}
}

/* Of the middle runs of two sides, which are runs number a_run and b_run of `kinds`. */
static void stretch_build(struct stretch *stretch, const struct side *a, const struct side *b,
			  const struct matches *kinds, uint32_t a_run, uint32_t b_run)
{
	struct walk walk = { a, b, rows_of(a, kinds, a_run), rows_of(b, kinds, b_run) };

	*stretch = (struct stretch){ .row = xcalloc(kinds->n + 1ull, sizeof(*stretch->row)) };
	match(stretch, &walk);
	free(walk.a_row);
	free(walk.b_row);
}

/* a zeroed one is fine */
static void stretch_free(struct stretch *stretch)
{
	free(stretch->row);
	*stretch = (struct stretch){ 0 };
}

const char *const verdict_name[] = { "same", "better", "worse" };

/* ---- building ---- */

static void gather_runs(struct comparison *c)
{
	uint32_t n = c->baseline ? c->baseline->n : 0, at = 0;

	for (uint32_t s = 0; s < c->n; s++)
		n += c->side[s].n;
	c->run = xcalloc(n + 1ull, sizeof(*c->run));
	c->first = xcalloc(c->n + 2ull, sizeof(*c->first));
	c->value = xcalloc(n + 1ull, sizeof(*c->value));
	for (uint32_t s = 0; s <= c->n; s++) {
		const struct side *side = s < c->n ? &c->side[s] : c->baseline;

		c->first[s] = at;
		for (uint32_t i = 0; side && i < side->n; i++)
			c->run[at++] = &side->run[i];
	}
	c->n_runs = n;
}

static int unknown_kind(const struct matches *kinds, const char *kind, struct err *err)
{
	const char **name = xcalloc(kinds->n + 1ull, sizeof(*name));
	const char *near, *most;

	for (uint32_t row = 0; row < kinds->n; row++)
		name[row] = matches_name(kinds, row)->name;
	near = nearest_of(kind, name, kinds->n);
	most = kinds->n ? name[0] : "none";
	free(name);
	if (near)
		return err_set(err, ENODATA, "unknown kind `%s`; did you mean `%s`?", kind, near);
	return err_set(err, ENODATA,
		       "unknown kind `%s`; the one that changed most is `%s`, and "
		       "`tptrace diff` without --kind lists all",
		       kind, most);
}

/* The row of the kind that is asked for: by its name, or "NAME FILE:LINE". */
static int find_kind(struct comparison *c, struct err *err)
{
	const struct matches *kinds = &c->list[LIST_KINDS];
	const char *kind = c->question.kind;

	for (uint32_t row = 0; row < kinds->n; row++) {
		const struct item *name = matches_name(kinds, row);
		char text[400];

		snprintf(text, sizeof(text), "%s %s:%u", name->name, name->where, name->line);
		if (strcmp(name->name, kind) == 0 || strcmp(text, kind) == 0) {
			c->kind_row = row;
			return 0;
		}
	}
	return unknown_kind(kinds, kind, err);
}

static uint64_t sum_of(const struct comparison *c, uint32_t run)
{
	const struct item *item = c->list[LIST_KINDS].item[(uint64_t)c->kind_row * c->n_runs + run];

	return item ? item_sum(item) : 0;
}

/* What the verdict is about, in a run: a kind's core-seconds, or elapsed time; quiet: had each
 * worker lost nothing to other programs. */
static uint64_t judged(const struct comparison *c, uint32_t run, bool quiet)
{
	const struct outcome *outcome = c->run[run];
	uint64_t elapsed_ns = outcome->figure[FIGURE_ELAPSED];

	if (c->question.kind)
		return sum_of(c, run);
	if (!quiet || !outcome->n_workers)
		return elapsed_ns;
	return elapsed_ns -
	       at_most(outcome->figure[FIGURE_LOADED] / outcome->n_workers, elapsed_ns);
}

static struct interval judged_interval(const struct comparison *c, uint32_t side, bool quiet)
{
	for (uint32_t i = 0; i < c->side[side].n; i++)
		c->value[i] = judged(c, c->first[side] + i, quiet);
	return interval_of(c->value, c->side[side].n);
}

static enum verdict verdict_of(const struct comparison *c, bool quiet, enum noise *noise)
{
	struct interval in_a = judged_interval(c, 0, quiet);
	struct interval in_b = judged_interval(c, c->n - 1, quiet);
	double a = (double)judged(c, comparison_middle(c, 0), quiet);
	double b = (double)judged(c, comparison_middle(c, c->n - 1), quiet);
	double most = 1 + c->question.threshold;

	*noise = interval_noise(&in_a, &in_b);
	if (*noise == NOISE_WITHIN || *noise == NOISE_NONE)
		return VERDICT_SAME;
	if (b > a * most)
		return VERDICT_WORSE;
	return a > b * most ? VERDICT_BETTER : VERDICT_SAME;
}

static void judge(struct comparison *c)
{
	enum noise quiet;

	c->a = judged(c, comparison_middle(c, 0), false);
	c->b = judged(c, comparison_middle(c, c->n - 1), false);
	c->verdict = verdict_of(c, false, &c->noise);
	c->undecided = verdict_of(c, true, &quiet) != c->verdict;
	if (c->undecided)
		c->verdict = VERDICT_SAME;
}

static uint64_t size_of(int64_t change)
{
	return change < 0 ? (uint64_t)-change : (uint64_t)change;
}

/* How much differs between the two runs, in whatever direction. */
static uint64_t change_of(const struct item *a, const struct item *b)
{
	uint64_t sum = 0;

	for (int v = 0; v < VALUES; v++)
		if (v != VALUE_TASKS && v != VALUE_TIMES)
			sum += size_of((int64_t)((b ? b->value[v] : 0) - (a ? a->value[v] : 0)));
	return sum;
}

static int most_changed_first(const void *x, const void *y, void *context)
{
	const struct item *const *a = x, *const *b = y;
	const struct comparison *c = context;
	uint32_t from = comparison_middle(c, 0), to = comparison_middle(c, c->n - 1);
	uint64_t of_a = change_of(a[from], a[to]), of_b = change_of(b[from], b[to]);

	return order_most(of_a, of_b) ?: item_compare_rows(a, b, c->n_runs);
}

static void match_lists(struct comparison *c)
{
	for (int l = 0; l < LISTS; l++) {
		struct matches *list = &c->list[l];

		matches_build(list, c->run, c->n_runs, (enum list)l);
		qsort_r(list->item, list->n, c->n_runs * sizeof(*list->item), most_changed_first,
			c);
	}
}

static void match_tallies(struct comparison *c)
{
	const struct tallies **run = xcalloc(c->n_runs + 1ull, sizeof(*run));

	for (uint32_t r = 0; r < c->n_runs; r++)
		run[r] = &c->run[r]->tallies;
	shared_tallies_build(&c->tallies, run, c->n_runs);
	free(run);
}

static void build_stretch(struct comparison *c)
{
	const struct side *base = comparison_base(c);
	uint32_t from = c->baseline ? c->n : 0;

	c->has_stretch = base->lineage.order && comparison_last(c)->lineage.order;
	if (!c->has_stretch)
		return;
	stretch_build(&c->stretch, base, comparison_last(c), &c->list[LIST_KINDS],
		      comparison_middle(c, from), comparison_middle(c, c->n - 1));
}

int comparison_build(struct comparison *comparison, struct side *side, uint32_t n,
		     struct side *baseline, const struct question *question, struct err *err)
{
	int error = 0;

	*comparison = (struct comparison){
		.side = side, .n = n, .baseline = baseline, .question = *question
	};
	gather_runs(comparison);
	match_lists(comparison);
	match_tallies(comparison);
	build_stretch(comparison);
	if (question->kind)
		error = find_kind(comparison, err);
	if (error) {
		comparison_free(comparison);
		return error;
	}
	judge(comparison);
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	for (int l = 0; l < LISTS; l++)
		matches_free(&comparison->list[l]);
	shared_tallies_free(&comparison->tallies);
	stretch_free(&comparison->stretch);
	free(comparison->run);
	free(comparison->first);
	free(comparison->value);
	*comparison = (struct comparison){ 0 };
}

/* ---- questions ---- */

uint32_t comparison_middle(const struct comparison *c, uint32_t side)
{
	return c->first[side] + (side < c->n ? c->side[side].middle : c->baseline->middle);
}

int64_t comparison_figure(const struct comparison *c, enum figure figure)
{
	return (int64_t)(side_figure(comparison_last(c), figure) -
			 side_figure(&c->side[0], figure));
}

uint64_t comparison_item(const struct comparison *c, enum list list, uint32_t row, uint32_t side,
			 enum value value)
{
	return matches_value(&c->list[list], row, comparison_middle(c, side), value);
}

int64_t comparison_value(const struct comparison *c, enum list list, uint32_t row, enum value value)
{
	return (int64_t)(comparison_item(c, list, row, c->n - 1, value) -
			 comparison_item(c, list, row, 0, value));
}

enum noise comparison_noise(const struct comparison *c, enum figure figure)
{
	struct interval a = side_interval(&c->side[0], figure);
	struct interval b = side_interval(comparison_last(c), figure);

	return interval_noise(&a, &b);
}

static struct interval item_interval(const struct comparison *c, enum list list, uint32_t row,
				     uint32_t side, enum value value)
{
	for (uint32_t i = 0; i < c->side[side].n; i++)
		c->value[i] = matches_value(&c->list[list], row, c->first[side] + i, value);
	return interval_of(c->value, c->side[side].n);
}

enum noise comparison_item_noise(const struct comparison *c, enum list list, uint32_t row,
				 enum value value)
{
	struct interval a = item_interval(c, list, row, 0, value);
	struct interval b = item_interval(c, list, row, c->n - 1, value);

	return interval_noise(&a, &b);
}

bool comparison_collapsed(const struct comparison *c)
{
	const struct side *base = comparison_base(c);

	return c->has_stretch &&
	       (base->lineage.n_collapsed || comparison_last(c)->lineage.n_collapsed);
}

struct stretch_sum comparison_same(const struct comparison *c, uint32_t row)
{
	uint32_t base = c->baseline ? c->n : 0, last = c->n - 1;
	uint64_t n = comparison_item(c, LIST_KINDS, row, base, VALUE_TASKS);
	const struct stretch_sum *matched = &c->stretch.row[row].all;

	if (!matched->n || matched->n == n || !comparison_collapsed(c))
		return *matched;
	if (n != comparison_item(c, LIST_KINDS, row, last, VALUE_TASKS))
		return (struct stretch_sum){ 0 };
	return (struct stretch_sum){ n, comparison_item(c, LIST_KINDS, row, base, VALUE_WORK),
				     comparison_item(c, LIST_KINDS, row, last, VALUE_WORK) };
}

double comparison_stretch(const struct comparison *c, uint32_t row)
{
	struct stretch_sum same =
		c->has_stretch ? comparison_same(c, row) : (struct stretch_sum){ 0 };

	if (!same.a_ns) {
		same.a_ns = comparison_item(c, LIST_KINDS, row, c->baseline ? c->n : 0, VALUE_WORK);
		same.b_ns = comparison_item(c, LIST_KINDS, row, c->n - 1, VALUE_WORK);
	}
	return stretch_of(&same);
}

#define STRETCHED_LEAST 1.1
#define STRETCHED_WAITS 2u /* waits for CPUs are at least half of it: then these are the cause */

bool comparison_stretched(const struct comparison *c, struct stretched *stretched)
{
	const struct outcome *a = side_outcome(comparison_base(c));
	const struct outcome *b = side_outcome(comparison_last(c));
	struct stretch_sum *all = &stretched->all;
	uint64_t grew_ns = 0, most_ns = 0, wait_a;

	*stretched = (struct stretched){ 0 };
	for (uint32_t row = 0; c->has_stretch && row < c->list[LIST_KINDS].n; row++) {
		struct stretch_sum of = comparison_same(c, row);
		uint64_t ns = of.b_ns > of.a_ns ? of.b_ns - of.a_ns : 0;

		all->n += of.n;
		all->a_ns += of.a_ns;
		all->b_ns += of.b_ns;
		grew_ns += ns;
		if (ns <= most_ns)
			continue;
		most_ns = ns;
		stretched->row = row;
	}
	stretched->share = ratio(most_ns, grew_ns);
	/* tasks that are not in both may have had the other waits of A */
	wait_a = at_most(a->figure[FIGURE_CPU_WAIT], all->a_ns);
	return a->n_workers < b->n_workers && strcmp(a->program, b->program) == 0 && all->a_ns &&
	       (double)all->b_ns >= STRETCHED_LEAST * (double)all->a_ns &&
	       b->figure[FIGURE_CPU_WAIT] < wait_a + (all->b_ns - all->a_ns) / STRETCHED_WAITS;
}

/* Elapsed time and workers of what speed-up is against. */
static uint64_t base_of(const struct comparison *c, uint64_t *n_workers)
{
	const struct side *base = comparison_base(c);

	*n_workers = c->question.baseline_ns ? 1 : side_outcome(base)->n_workers;
	return c->question.baseline_ns ? c->question.baseline_ns
				       : side_figure(base, FIGURE_ELAPSED);
}

double comparison_speedup(const struct comparison *c, uint32_t side)
{
	uint64_t n_workers, base_ns = base_of(c, &n_workers);
	uint64_t ns = side_figure(&c->side[side], FIGURE_ELAPSED);

	return ns ? (double)base_ns / (double)ns : 0;
}

double comparison_efficiency(const struct comparison *c, uint32_t side)
{
	uint64_t n_workers, own = side_outcome(&c->side[side])->n_workers;

	base_of(c, &n_workers);
	return own ? comparison_speedup(c, side) * (double)n_workers / (double)own : 0;
}

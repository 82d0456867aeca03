/* SPDX-License-Identifier: MIT */
/* diff_json.c - writes a comparison as JSON; times are integers of ns. */
#include "tools/diff/diff_screen.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/diff/diff_counters.h"
#include "tools/diff/why.h"
#include "tools/base/ratio.h"
#include "tools/base/written.h"
#include "tools/table/put.h"

void diff_csv(FILE *out, const struct comparison *c, enum list list)
{
	fprintf(out, "%s,place,line", list_name[list]);
	for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
		fprintf(out, ",a_%s,b_%s", value_name(list, v), value_name(list, v));
	diff_counters_csv_names(out, c);
	fputs("\n", out);
	for (uint32_t row = 0; row < c->list[list].n; row++) {
		const struct item *name = matches_name(&c->list[list], row);

		put_quoted(out, name->name);
		fputc(',', out);
		put_quoted(out, name->where);
		fprintf(out, ",%u", name->line);
		for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
			fprintf(out, ",%" PRIu64 ",%" PRIu64,
				comparison_item(c, list, row, 0, (enum value)v),
				comparison_item(c, list, row, c->n - 1, (enum value)v));
		diff_counters_csv(out, c, (struct counted_of){ list, row });
		fputc('\n', out);
	}
}

static const char *const list_key[LISTS] = { "kinds",	 "places", "paths",
					     "findings", "locks",  "waits" };

/* ---- differences of figures ---- */

/* Whether a run of the two is to have that state, as in a report (state_seen()). */
static bool has_state(const struct comparison *c, int state)
{
	uint64_t ns = 0;

	for (int v = 0; v < 4; v++) {
		enum figure figure = FIGURE_STATES + (enum figure)(4 * state + v);

		ns |= side_figure(&c->side[0], figure) | side_figure(comparison_last(c), figure);
	}
	return state < STATES_ALWAYS || ns > 0;
}

static void put_states(struct json *to, const struct comparison *c)
{
	json_open(to, "states", '{');
	for (int i = 0; i < STATES; i++) {
		if (!has_state(c, i))
			continue;
		json_open(to, state_name[i], '{');
		for (int v = 0; v < 4; v++)
			json_signed(to, value_key[v],
				    comparison_figure(c, FIGURE_STATES + (enum figure)(4 * i + v)));
		json_close(to, '}');
	}
	json_close(to, '}');
}

static void put_delta(struct json *to, const struct comparison *c)
{
	json_open(to, "delta", '{');
	for (int f = 0; f < FIGURE_EDGES; f++)
		json_signed(to, figure_key[f], comparison_figure(c, (enum figure)f));
	json_open(to, "delay_by_edge", '{');
	for (int e = 0; e < EDGE_KINDS; e++)
		json_signed(to, edge_kind_name[e],
			    comparison_figure(c, FIGURE_EDGES + (enum figure)e));
	json_close(to, '}');
	put_states(to, c);
	json_close(to, '}');
}

static void put_noise(struct json *to, const struct comparison *c)
{
	json_open(to, "noise", '{');
	for (int f = 0; f < FIGURE_EDGES; f++)
		json_text(to, figure_key[f], noise_name[comparison_noise(c, (enum figure)f)]);
	json_close(to, '}');
}

/* ---- kinds, places, findings ---- */

/* Kinds, places and paths count; findings and waits do not. */
static void put_item_counts(struct json *to, const struct comparison *c, enum list list,
			    uint32_t row, enum counted_part part)
{
	if (list <= LIST_PATHS)
		diff_counters_json_row(to, c, (struct counted_of){ list, row }, part);
	json_close(to, '}');
}

static void put_values(struct json *to, const char *key, const struct comparison *c, enum list list,
		       uint32_t row, uint32_t side)
{
	const struct item *item =
		c->list[list].item[(uint64_t)row * c->n_runs + comparison_middle(c, side)];

	if (!item) {
		json_text(to, key, NULL);
		return;
	}
	json_open(to, key, '{');
	for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
		json_number(to, value_name(list, v), item->value[v]);
	put_item_counts(to, c, list, row, side ? COUNTED_B : COUNTED_A);
}

static void put_differences(struct json *to, const struct comparison *c, enum list list,
			    uint32_t row)
{
	json_open(to, "delta", '{');
	for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
		json_signed(to, value_name(list, v), comparison_value(c, list, row, (enum value)v));
	put_item_counts(to, c, list, row, COUNTED_DELTA);
	json_open(to, "noise", '{');
	for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
		json_text(to, value_name(list, v),
			  noise_name[comparison_item_noise(c, list, row, (enum value)v)]);
	put_item_counts(to, c, list, row, COUNTED_NOISE);
}

static void put_sum(struct json *to, const char *key, const struct stretch_sum *sum)
{
	json_open(to, key, '{');
	JSON_NUMBERS(to, { "tasks", sum->n }, { "work_a_ns", sum->a_ns },
		     { "work_b_ns", sum->b_ns });
	diff_put_ratio(to, "stretch", stretch_of(sum));
	json_close(to, '}');
}

static void put_item(struct json *to, const struct comparison *c, enum list list, uint32_t row)
{
	const struct item *name = matches_name(&c->list[list], row);

	json_open(to, NULL, '{');
	json_text(to, "name", name->name);
	if (list >= LIST_FINDINGS)
		json_text(to, list == LIST_FINDINGS ? "id" : "what", name->id);
	json_text(to, name->has_line ? "file" : "module", name->where[0] ? name->where : NULL);
	json_number(to, "line", name->line);
	put_values(to, "a", c, list, row, 0);
	put_values(to, "b", c, list, row, c->n - 1);
	put_differences(to, c, list, row);
	if (list == LIST_KINDS)
		diff_put_ratio(to, "stretch", comparison_stretch(c, row));
	if (list == LIST_KINDS && c->has_stretch) {
		put_sum(to, "stolen", &c->stretch.row[row].stolen);
		put_sum(to, "local", &c->stretch.row[row].local);
	}
	json_close(to, '}');
}

static void put_list(struct json *to, const struct comparison *c, enum list list)
{
	json_open(to, list_key[list], '[');
	for (uint32_t row = 0; row < c->list[list].n; row++)
		put_item(to, c, list, row);
	json_close(to, ']');
}

/* ---- the same tasks ---- */

static void put_most(struct json *to, const struct comparison *c)
{
	const struct lineage *a = &comparison_base(c)->lineage;
	const struct lineage *b = &comparison_last(c)->lineage;
	char path[LINEAGE_PATH];

	json_open(to, "most", '[');
	for (uint32_t i = 0; i < c->stretch.n_most; i++) {
		const struct stretch_task *at = &c->stretch.most[i];
		const struct lineage_task *task = &b->task[at->b];

		json_open(to, NULL, '{');
		json_text(to, "lineage", lineage_path(path, b, at->b));
		json_text(to, "name", matches_name(&c->list[LIST_KINDS], at->row)->name);
		JSON_NUMBERS(to, { "work_a_ns", a->task[at->a].work_ns },
			     { "work_b_ns", task->work_ns }, { "worker", task->worker });
		json_bool(to, "stolen", task->flags & LINEAGE_STOLEN);
		json_close(to, '}');
	}
	json_close(to, ']');
}

/* null: a side has several processes, or only a part was compared. */
static void put_lineage(struct json *to, const struct comparison *c)
{
	const struct side *base = comparison_base(c);

	if (!c->has_stretch) {
		json_text(to, "lineage", NULL);
		return;
	}
	json_open(to, "lineage", '{');
	JSON_NUMBERS(to, { "tasks_a", base->lineage.n_explicit },
		     { "tasks_b", comparison_last(c)->lineage.n_explicit },
		     { "other_kind", c->stretch.n_other });
	put_sum(to, "matched", &c->stretch.sum.all);
	put_sum(to, "stolen", &c->stretch.sum.stolen);
	put_sum(to, "local", &c->stretch.sum.local);
	put_most(to, c);
	json_close(to, '}');
}

/* null: the same tasks do not work longer on more workers. */
static void put_work_stretch(struct json *to, const struct comparison *c)
{
	struct stretched stretched;
	struct stretch_sum same;

	if (!comparison_stretched(c, &stretched)) {
		json_text(to, "work_stretch", NULL);
		return;
	}
	json_open(to, "work_stretch", '{');
	json_text(to, "name", matches_name(&c->list[LIST_KINDS], stretched.row)->name);
	json_real(to, "share", "%.4f", stretched.share);
	same = comparison_same(c, stretched.row);
	put_sum(to, "kind", &same);
	put_sum(to, "all", &stretched.all);
	json_close(to, '}');
}

/* ---- the sides ---- */

static void put_interval(struct json *to, const struct side *side)
{
	json_open(to, "interval", '{');
	for (int f = 0; f < FIGURE_SPAN; f++) {
		struct interval interval = side_interval(side, (enum figure)f);

		json_pair(to, figure_key[f], interval.low, interval.high);
	}
	json_close(to, '}');
}

static void put_side(struct json *to, const struct comparison *c, uint32_t s)
{
	const struct side *side = &c->side[s];
	const struct outcome *run = side_outcome(side);

	json_open(to, NULL, '{');
	json_text(to, "label", side->label);
	json_text(to, "command", run->command);
	json_text(to, "runtimes", run->runtimes);
	json_text(to, "slowed", run->slowed[0] ? run->slowed : NULL);
	json_text(to, "file", run->path);
	JSON_NUMBERS(to, { "runs", side->n }, { "processes", run->n_processes },
		     { "workers", run->n_workers });
	for (int f = 0; f < FIGURE_EDGES; f++)
		json_number(to, figure_key[f], run->figure[f]);
	diff_put_ratio(to, "speedup", comparison_speedup(c, s));
	diff_put_ratio(to, "efficiency", comparison_efficiency(c, s));
	put_interval(to, side);
	json_close(to, '}');
}

static void put_why(struct json *to, const struct comparison *c)
{
	char *text = written(why_put, c, NULL);

	json_text(to, "why", text);
	free(text);
}

static void put_report(struct json *to, const char *key, const struct side *side)
{
	const char *report = side->report[side->middle];

	json_key(to, key);
	fputs(report ? report : "null", to->out);
}

void diff_json(FILE *out, const struct comparison *c)
{
	struct json json, *to = &json;

	json_begin(to, out);
	json_text(to, "verdict", verdict_name[c->verdict]);
	json_bool(to, "undecided", c->undecided);
	put_why(to, c);
	json_real(to, "threshold_percent", "%g", 100 * c->question.threshold);
	diff_put_ratio(to, "ratio", ratio(c->b, c->a));
	if (c->question.baseline_ns)
		json_number(to, "baseline_ns", c->question.baseline_ns);
	put_delta(to, c);
	put_noise(to, c);
	diff_counters_json(to, c);
	for (int l = 0; l < LISTS; l++)
		put_list(to, c, (enum list)l);
	put_lineage(to, c);
	put_work_stretch(to, c);
	json_open(to, "sides", '[');
	for (uint32_t s = 0; s < c->n; s++)
		put_side(to, c, s);
	json_close(to, ']');
	put_report(to, "a", &c->side[0]);
	put_report(to, "b", comparison_last(c));
	json_end(to);
}

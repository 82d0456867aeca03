/* SPDX-License-Identifier: MIT */
/* diff_json.c - writes a comparison as JSON; times are integers of ns. */
#include "tools/diff/diff_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/diff/diff_counters.h"
#include "tools/diff/why.h"
#include "tools/table/put.h"

static const char *const list_key[LISTS] = { "kinds",	 "places", "paths",
					     "findings", "locks",  "waits" };

static void put_key(FILE *out, const char *key)
{
	fprintf(out, ",\"%s\":", key);
}

/* ---- differences of figures ---- */

static void put_states(FILE *out, const struct comparison *c)
{
	put_key(out, "states");
	for (int i = 0; i < STATES; i++) {
		fprintf(out, "%s\"%s\":{", i ? "," : "{", state_name[i]);
		for (int v = 0; v < 4; v++)
			fprintf(out, "%s\"%s\":%" PRId64, v ? "," : "", value_key[v],
				comparison_figure(c, FIGURE_STATES + (enum figure)(4 * i + v)));
		fputs("}", out);
	}
	fputs("}", out);
}

static void put_delta(FILE *out, const struct comparison *c)
{
	put_key(out, "delta");
	for (int f = 0; f < FIGURE_EDGES; f++)
		fprintf(out, "%s\"%s\":%" PRId64, f ? "," : "{", figure_key[f],
			comparison_figure(c, (enum figure)f));
	put_key(out, "delay_by_edge");
	for (int e = 0; e < EDGE_KINDS; e++)
		fprintf(out, "%s\"%s\":%" PRId64, e ? "," : "{", edge_kind_name[e],
			comparison_figure(c, FIGURE_EDGES + (enum figure)e));
	fputs("}", out);
	put_states(out, c);
	fputs("}", out);
}

static void put_noise(FILE *out, const struct comparison *c)
{
	put_key(out, "noise");
	for (int f = 0; f < FIGURE_EDGES; f++)
		fprintf(out, "%s\"%s\":\"%s\"", f ? "," : "{", figure_key[f],
			noise_name[comparison_noise(c, (enum figure)f)]);
	fputs("}", out);
}

/* ---- kinds, places, findings ---- */

/* Kinds, places and paths count; findings and waits do not. */
static void put_counters(FILE *out, const struct comparison *c, enum list list, uint32_t row,
			 enum counted_part part)
{
	if (list <= LIST_PATHS)
		diff_counters_json_row(out, c, (struct counted_of){ list, row }, part);
}

static void put_values(FILE *out, const struct comparison *c, enum list list, uint32_t row,
		       uint32_t side)
{
	const struct item *item =
		c->list[list].item[(uint64_t)row * c->n_runs + comparison_middle(c, side)];

	if (!item) {
		fputs("null", out);
		return;
	}
	for (int v = list_values[list].from; v < list_values[list].to; v++)
		fprintf(out, "%s\"%s\":%" PRIu64, v > list_values[list].from ? "," : "{",
			value_key[v], item->value[v]);
	put_counters(out, c, list, row, side ? COUNTED_B : COUNTED_A);
	fputs("}", out);
}

static void put_differences(FILE *out, const struct comparison *c, enum list list, uint32_t row)
{
	int from = list_values[list].from, to = list_values[list].to;

	put_key(out, "delta");
	for (int v = from; v < to; v++)
		fprintf(out, "%s\"%s\":%" PRId64, v > from ? "," : "{", value_key[v],
			comparison_value(c, list, row, (enum value)v));
	put_counters(out, c, list, row, COUNTED_DELTA);
	fputs("}", out);
	put_key(out, "noise");
	for (int v = from; v < to; v++)
		fprintf(out, "%s\"%s\":\"%s\"", v > from ? "," : "{", value_key[v],
			noise_name[comparison_item_noise(c, list, row, (enum value)v)]);
	put_counters(out, c, list, row, COUNTED_NOISE);
	fputs("}", out);
}

/* null: the code is not in both. */
static void put_ratio(FILE *out, const char *key, double ratio)
{
	put_key(out, key);
	if (ratio > 0)
		fprintf(out, "%.4f", ratio);
	else
		fputs("null", out);
}

static void put_sum(FILE *out, const char *key, const struct stretch_sum *sum)
{
	put_key(out, key);
	fprintf(out, "{\"tasks\":%" PRIu64 ",\"work_a_ns\":%" PRIu64 ",\"work_b_ns\":%" PRIu64,
		sum->n, sum->a_ns, sum->b_ns);
	put_ratio(out, "stretch", stretch_of(sum));
	fputs("}", out);
}

static void put_row(FILE *out, const struct comparison *c, enum list list, uint32_t row)
{
	const struct item *name = matches_name(&c->list[list], row);

	fputs(row ? ",{\"name\":" : "{\"name\":", out);
	put_string(out, name->name);
	if (list >= LIST_FINDINGS) {
		put_key(out, list == LIST_FINDINGS ? "id" : "what");
		put_string(out, name->id);
	}
	put_key(out, name->has_line ? "file" : "module");
	put_string(out, name->where[0] ? name->where : NULL);
	fprintf(out, ",\"line\":%u", name->line);
	put_key(out, "a");
	put_values(out, c, list, row, 0);
	put_key(out, "b");
	put_values(out, c, list, row, c->n - 1);
	put_differences(out, c, list, row);
	if (list == LIST_KINDS)
		put_ratio(out, "stretch", comparison_stretch(c, row));
	if (list == LIST_KINDS && c->has_stretch) {
		put_sum(out, "stolen", &c->stretch.row[row].stolen);
		put_sum(out, "local", &c->stretch.row[row].local);
	}
	fputs("}", out);
}

static void put_list(FILE *out, const struct comparison *c, enum list list)
{
	put_key(out, list_key[list]);
	fputs("[", out);
	for (uint32_t row = 0; row < c->list[list].n; row++)
		put_row(out, c, list, row);
	fputs("]", out);
}

/* ---- the same tasks ---- */

static void put_most(FILE *out, const struct comparison *c)
{
	const struct lineage *a = &(c->baseline ? c->baseline : &c->side[0])->lineage;
	const struct lineage *b = &comparison_last(c)->lineage;
	char path[LINEAGE_PATH];

	put_key(out, "most");
	fputs("[", out);
	for (uint32_t i = 0; i < c->stretch.n_most; i++) {
		const struct stretch_task *at = &c->stretch.most[i];
		const struct lineage_task *task = &b->task[at->b];

		fprintf(out, "%s{\"lineage\":\"%s\",\"name\":", i ? "," : "",
			lineage_path(path, b, at->b));
		put_string(out, matches_name(&c->list[LIST_KINDS], at->row)->name);
		fprintf(out,
			",\"work_a_ns\":%" PRIu64 ",\"work_b_ns\":%" PRIu64
			",\"worker\":%u,\"stolen\":%s}",
			a->task[at->a].work_ns, task->work_ns, task->worker,
			task->flags & LINEAGE_STOLEN ? "true" : "false");
	}
	fputs("]", out);
}

/* null: a side has several processes, or only a part was compared. */
static void put_tasks(FILE *out, const struct comparison *c)
{
	const struct side *base = c->baseline ? c->baseline : &c->side[0];

	put_key(out, "lineage");
	if (!c->has_stretch) {
		fputs("null", out);
		return;
	}
	fprintf(out, "{\"tasks_a\":%" PRIu64 ",\"tasks_b\":%" PRIu64 ",\"other_kind\":%" PRIu64,
		base->lineage.n_explicit, comparison_last(c)->lineage.n_explicit,
		c->stretch.n_other);
	put_sum(out, "matched", &c->stretch.sum.all);
	put_sum(out, "stolen", &c->stretch.sum.stolen);
	put_sum(out, "local", &c->stretch.sum.local);
	put_most(out, c);
	fputs("}", out);
}

/* null: the same tasks do not work longer on more workers. */
static void put_work_stretch(FILE *out, const struct comparison *c)
{
	struct stretched stretched;
	struct stretch_sum same;

	put_key(out, "work_stretch");
	if (!comparison_stretched(c, &stretched)) {
		fputs("null", out);
		return;
	}
	fputs("{\"name\":", out);
	put_string(out, matches_name(&c->list[LIST_KINDS], stretched.row)->name);
	fprintf(out, ",\"share\":%.4f", stretched.share);
	same = comparison_same(c, stretched.row);
	put_sum(out, "kind", &same);
	put_sum(out, "all", &stretched.all);
	fputs("}", out);
}

/* ---- the sides ---- */

static void put_range(FILE *out, const struct side *side, enum figure figure)
{
	struct interval interval = side_interval(side, figure);

	fprintf(out, "\"%s\":[%" PRIu64 ",%" PRIu64 "]", figure_key[figure], interval.low,
		interval.high);
}

static void put_side(FILE *out, const struct comparison *c, uint32_t s)
{
	const struct side *side = &c->side[s];
	const struct outcome *run = side_outcome(side);

	fprintf(out, "%s{\"label\":", s ? "," : "");
	put_string(out, side->label);
	put_key(out, "command");
	put_string(out, run->command);
	put_key(out, "runtimes");
	put_string(out, run->runtimes);
	put_key(out, "slowed");
	put_string(out, run->slowed[0] ? run->slowed : NULL);
	put_key(out, "file");
	put_string(out, run->path);
	fprintf(out, ",\"runs\":%u,\"processes\":%u,\"workers\":%" PRIu64, side->n,
		run->n_processes, run->n_workers);
	for (int f = 0; f < FIGURE_EDGES; f++)
		fprintf(out, ",\"%s\":%" PRIu64, figure_key[f], run->figure[f]);
	put_ratio(out, "speedup", comparison_speedup(c, s));
	put_ratio(out, "efficiency", comparison_efficiency(c, s));
	put_key(out, "interval");
	for (int f = 0; f < FIGURE_SPAN; f++) {
		fputs(f ? "," : "{", out);
		put_range(out, side, (enum figure)f);
	}
	fputs("}}", out);
}

static void put_why(FILE *out, const struct comparison *c)
{
	char *text = NULL;
	size_t bytes;
	FILE *why = open_memstream(&text, &bytes);

	if (why) {
		why_put(why, c);
		fclose(why);
	}
	put_key(out, "why");
	put_string(out, text);
	free(text);
}

static void put_report(FILE *out, const char *key, const struct side *side)
{
	const char *report = side->report[side->middle];

	put_key(out, key);
	fputs(report ? report : "null", out);
}

void diff_json(FILE *out, const struct comparison *c)
{

	fprintf(out, "{\"version\":1,\"verdict\":\"%s\"", verdict_name[c->verdict]);
	put_why(out, c);
	fprintf(out, ",\"threshold_percent\":%g", 100 * c->question.threshold);
	put_ratio(out, "ratio", c->a ? (double)c->b / (double)c->a : 0);
	if (c->question.baseline_ns)
		fprintf(out, ",\"baseline_ns\":%" PRIu64, c->question.baseline_ns);
	put_delta(out, c);
	put_noise(out, c);
	diff_counters_json(out, c);
	for (int l = 0; l < LISTS; l++)
		put_list(out, c, (enum list)l);
	put_tasks(out, c);
	put_work_stretch(out, c);
	put_key(out, "sides");
	fputs("[", out);
	for (uint32_t s = 0; s < c->n; s++)
		put_side(out, c, s);
	fputs("]", out);
	put_report(out, "a", &c->side[0]);
	put_report(out, "b", comparison_last(c));
	fputs("}\n", out);
}

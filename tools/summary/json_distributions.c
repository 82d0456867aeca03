/* SPDX-License-Identifier: MIT */
/* json_distributions.c - histograms, percentiles, and who stole from whom. */
#include "tools/summary/json_distributions.h"

#include "tools/analysis/strand_paths.h"
#include "tools/summary/report_tables.h"

CELL_OF(uint64_t, kind, struct distributions, table->of,
	row < its->by_idle ? row / DISTRIBUTIONS : TABLE_UNKNOWN)

static const char *what(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct distributions *all = table->of;

	(void)out;
	return row < all->by_idle ? distribution_name[row % DISTRIBUTIONS] : "steal by idle";
}

CELL_OF(uint64_t, idle, struct distributions, table->of,
	row < its->by_idle ? TABLE_UNKNOWN : row - its->by_idle + 1)

static uint64_t quantile(const struct table *table, uint32_t row, double part)
{
	return spreads_quantile(&((const struct distributions *)table->of)->spreads, row, part);
}

CELL(uint64_t, p10_ns, void, quantile(table, row, .1))

CELL(uint64_t, median_ns, void, quantile(table, row, .5))

CELL(uint64_t, p90_ns, void, quantile(table, row, .9))

CELL(uint64_t, p99_ns, void, quantile(table, row, .99))

static void put_buckets(struct json *to, const char *key, const struct table *table, uint32_t row)
{
	const struct distributions *all = table->of;
	const struct spread *spread = &all->spreads.row[row];

	json_open(to, key, '[');
	for (uint32_t i = 0; i < spread->n_bins; i++) {
		const struct spread_bin *bin = &all->spreads.bin[spread->first_bin + i];

		json_pair(to, NULL, wire_bucket_least(bin->bucket), bin->n);
	}
	json_close(to, ']');
}

#define TIME(field) .type = COLUMN_NS, COLUMN_FIELD(struct spread, field)
#define SPREAD_FIRST 3 /* columns before n: whose it is */

static const struct column spread_column[] = {
	{ "kind", .only = FOR_SQL, .number = kind },
	{ "what", .only = FOR_SQL, .type = COLUMN_TEXT, .text = what },
	{ "idle", .only = FOR_SQL | FOR_JSON, .number = idle },
	{ "n", COLUMN_FIELD(struct spread, n) },
	{ "sum_ns", TIME(sum) },
	{ "min_ns", TIME(least) },
	{ "p10_ns", .type = COLUMN_NS, .number = p10_ns },
	{ "median_ns", .type = COLUMN_NS, .number = median_ns },
	{ "p90_ns", .type = COLUMN_NS, .number = p90_ns },
	{ "p99_ns", .type = COLUMN_NS, .number = p99_ns },
	{ "max_ns", TIME(most) },
	{ "buckets", .only = FOR_JSON, .json = put_buckets },
};

CELL(bool, has_values, struct spread, its->n > 0)

static struct table table_of(const struct distributions *all)
{
	return (struct table){ .name = "distributions",
			       TABLE_COLUMNS(spread_column),
			       .of = all,
			       TABLE_ROWS(all->spreads.row, (uint32_t)all->spreads.n_rows),
			       .is_row = has_values };
}

void spread_table(struct table *table, const struct summary *summary)
{
	*table = table_of(&summary->distributions);
}

static void put_fate(struct json *to, const uint64_t fate[FATES])
{
	json_open(to, "fate", '{');
	for (int i = 0; i < FATES; i++)
		json_number(to, fate_name[i], fate[i]);
	json_close(to, '}');
}

void json_put_kind_distributions(struct json *to, const struct distributions *all, uint32_t kind)
{
	struct table table = table_of(all);

	table.column += SPREAD_FIRST;
	table.n_columns -= SPREAD_FIRST;
	json_open(to, "distributions", '{');
	for (int i = 0; i < DISTRIBUTIONS; i++) {
		uint64_t row = distribution_row(kind, (enum distribution)i);

		if (all->spreads.row[row].n)
			table_put_json_row(to, distribution_name[i], &table, (uint32_t)row);
	}
	json_close(to, '}');
	put_fate(to, all->fate[kind]);
}

#define PAIR(field) COLUMN_FIELD(struct steal_pair, field)

static const struct column steal_column[] = {
	{ "thief", PAIR(thief) },
	{ "victim", PAIR(victim) },
	{ "steals", PAIR(n) },
	{ "ready_ns", .type = COLUMN_NS, PAIR(ns) },
};

void steal_table(struct table *table, const struct summary *summary)
{
	const struct distributions *all = &summary->distributions;

	*table = (struct table){ .name = "steal_pairs",
				 TABLE_COLUMNS(steal_column),
				 TABLE_ROWS(all->pair, (uint32_t)all->n_pairs) };
}

void json_put_steals_by_idle(struct json *to, const struct distributions *all)
{
	struct table table = table_of(all);

	json_open(to, "steals_by_idle", '[');
	for (uint32_t i = 0; i < all->n_idle; i++)
		if (all->spreads.row[all->by_idle + i].n)
			table_put_json_row(to, NULL, &table, (uint32_t)all->by_idle + i);
	json_close(to, ']');
}

void json_put_binding_path(struct json *to, const struct summary *summary)
{
	struct binding_sums sums = summary->binding;

	if (!summary->paths)
		binding_path_sums(&sums, NULL, summary->dag, run_selected(summary->run));
	json_open(to, "binding_path", '{');
	JSON_NUMBERS(to, { "running_ns", sums.running_ns }, { "latency_ns", sums.latency_ns },
		     { "turns", sums.n_turns });
	json_close(to, '}');
}

/* SPDX-License-Identifier: MIT */
/* json_distributions.c - histograms, percentiles, and who stole from whom. */
#include "tools/report/json_distributions.h"

#include <inttypes.h>

#include "tools/analysis/strand_paths.h"

static uint64_t kind(const struct table *table, uint32_t row)
{
	const struct distributions *all = table->of;

	return row < all->by_idle ? row / DISTRIBUTIONS : TABLE_UNKNOWN;
}

static const char *what(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct distributions *all = table->of;

	(void)out;
	return row < all->by_idle ? distribution_name[row % DISTRIBUTIONS] : "steal by idle";
}

static uint64_t idle(const struct table *table, uint32_t row)
{
	const struct distributions *all = table->of;

	return row < all->by_idle ? TABLE_UNKNOWN : row - all->by_idle + 1;
}

static uint64_t quantile(const struct table *table, uint32_t row, double part)
{
	return spreads_quantile(&((const struct distributions *)table->of)->spreads, row, part);
}

static uint64_t p10_ns(const struct table *table, uint32_t row)
{
	return quantile(table, row, .1);
}

static uint64_t median_ns(const struct table *table, uint32_t row)
{
	return quantile(table, row, .5);
}

static uint64_t p90_ns(const struct table *table, uint32_t row)
{
	return quantile(table, row, .9);
}

static uint64_t p99_ns(const struct table *table, uint32_t row)
{
	return quantile(table, row, .99);
}

static void put_buckets(FILE *out, const struct table *table, uint32_t row)
{
	const struct distributions *all = table->of;
	const struct spread *spread = &all->spreads.row[row];

	fputc('[', out);
	for (uint32_t i = 0; i < spread->n_bins; i++) {
		const struct spread_bin *bin = &all->spreads.bin[spread->first_bin + i];

		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			wire_bucket_least(bin->bucket), bin->n);
	}
	fputc(']', out);
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

static bool has_values(const struct table *table, uint32_t row)
{
	return ((const struct spread *)table_row(table, row))->n > 0;
}

static struct table table_of(const struct distributions *all)
{
	return (struct table){ .name = "distributions",
			       TABLE_COLUMNS(spread_column),
			       .of = all,
			       .row = all->spreads.row,
			       .row_bytes = sizeof(struct spread),
			       .n = (uint32_t)all->spreads.n_rows,
			       .is_row = has_values };
}

struct table distribution_rows(const struct summary *summary)
{
	return table_of(&summary->distributions);
}

static void put_fate(FILE *out, const uint64_t fate[FATES])
{
	fputs(",\"fate\":{", out);
	for (int i = 0; i < FATES; i++)
		fprintf(out, "%s\"%s\":%" PRIu64, i ? "," : "", fate_name[i], fate[i]);
	fputs("}", out);
}

void json_put_kind_distributions(FILE *out, const struct distributions *all, uint32_t kind)
{
	struct table table = table_of(all);
	const char *comma = "";

	table.column += SPREAD_FIRST;
	table.n_columns -= SPREAD_FIRST;
	fputs(",\"distributions\":{", out);
	for (int i = 0; i < DISTRIBUTIONS; i++) {
		uint64_t row = distribution_row(kind, (enum distribution)i);

		if (all->spreads.row[row].n == 0)
			continue;
		fprintf(out, "%s\"%s\":", comma, distribution_name[i]);
		table_put_json_row(out, &table, (uint32_t)row);
		comma = ",";
	}
	fputs("}", out);
	put_fate(out, all->fate[kind]);
}

void json_put_steals(FILE *out, const struct distributions *all)
{
	struct table table = table_of(all);
	const char *comma = "";

	fprintf(out, ",\"leaps\":%" PRIu64 ",\"steal_pairs\":[", all->n_leaps);
	for (uint64_t i = 0; i < all->n_pairs; i++)
		fprintf(out,
			"%s{\"thief\":%u,\"victim\":%u,\"steals\":%" PRIu64 ",\"ready_ns\":%" PRIu64
			"}",
			i ? "," : "", all->pair[i].thief, all->pair[i].victim, all->pair[i].n,
			all->pair[i].ns);
	fputs("],\"steals_by_idle\":[", out);
	for (uint32_t i = 0; i < all->n_idle; i++) {
		if (all->spreads.row[all->by_idle + i].n == 0)
			continue;
		fputs(comma, out);
		table_put_json_row(out, &table, (uint32_t)all->by_idle + i);
		comma = ",";
	}
	fputs("]", out);
}

int json_put_binding_path(FILE *out, const struct summary *summary)
{
	const struct select *select = run_selected(summary->run);
	struct strand_path path = { 0 };
	struct binding_sums sums = summary->binding;
	int error = summary->paths ? 0 : binding_path_build(&path, summary->dag);

	if (!error) {
		if (!summary->paths)
			sums = binding_path_sums(&path, summary->dag, select);
		fprintf(out,
			",\"binding_path\":{\"running_ns\":%" PRIu64 ",\"latency_ns\":%" PRIu64
			",\"turns\":%u}",
			sums.running_ns, sums.latency_ns, sums.n_turns);
	}
	strand_path_free(&path);
	return error;
}

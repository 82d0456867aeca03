/* SPDX-License-Identifier: MIT */
/* json_distributions.c - histograms, percentiles, and who stole from whom. */
#include "tools/report/json_distributions.h"

#include <inttypes.h>

#include "tools/analysis/strand_paths.h"

/* Members of an object of its own. */
static void put_spread(FILE *out, const struct spreads *spreads, uint64_t row)
{
	const struct spread *spread = &spreads->row[row];

	fprintf(out,
		"\"n\":%" PRIu64 ",\"sum_ns\":%" PRIu64 ",\"min_ns\":%" PRIu64
		",\"p10_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"p90_ns\":%" PRIu64
		",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 ",\"buckets\":[",
		spread->n, spread->sum, spread->least, spreads_quantile(spreads, row, .1),
		spreads_quantile(spreads, row, .5), spreads_quantile(spreads, row, .9),
		spreads_quantile(spreads, row, .99), spread->most);
	for (uint32_t i = 0; i < spread->n_bins; i++) {
		const struct spread_bin *bin = &spreads->bin[spread->first_bin + i];

		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			wire_bucket_least(bin->bucket), bin->n);
	}
	fputs("]", out);
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
	const char *comma = "";

	fputs(",\"distributions\":{", out);
	for (int i = 0; i < DISTRIBUTIONS; i++) {
		uint64_t row = distribution_row(kind, (enum distribution)i);

		if (all->spreads.row[row].n == 0)
			continue;
		fprintf(out, "%s\"%s\":{", comma, distribution_name[i]);
		put_spread(out, &all->spreads, row);
		fputs("}", out);
		comma = ",";
	}
	fputs("}", out);
	put_fate(out, all->fate[kind]);
}

void json_put_steals(FILE *out, const struct distributions *all)
{
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
		fprintf(out, "%s{\"idle\":%u,", comma, i + 1);
		put_spread(out, &all->spreads, all->by_idle + i);
		fputs("}", out);
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

/* SPDX-License-Identifier: MIT */
/* crowded.c - finds the kinds of the baseline, and puts theirs beside those of the run. */
#include "tools/summary/crowded.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/summary/summary.h"
#include "tools/table/table.h"

const char *const crowded_what_name[CROWDED_WHATS] = { "baseline", "run", "beside" };

#define LEAST_TASKS 5u /* to compare with, as findings have it (beside.c) */

struct building {
	struct crowded *crowded;
	const struct summary *summary, *baseline;
	struct company company;
	const struct place **code;   /* of the baseline's kinds, in order */
	double sum[CROWDED_RUN + 1]; /* CPU time of the kinds that both have */
};

static uint64_t sampled_ns(const struct summary *summary, uint64_t n)
{
	const struct kind_spots *spots = &summary->code.spots;

	return spots->period_ns && spots->n_all
		       ? (uint64_t)spots_ns(spots, n, summary->machine.total.cpu_ns)
		       : TABLE_UNKNOWN;
}

static struct crowded_row row_of(const struct summary *summary, kind_id kind,
				 enum crowded_what what)
{
	const uint64_t *n = summary->sampled.code.kind_n;

	return (struct crowded_row){ .kind = kind,
				     .what = (uint8_t)what,
				     .n_tasks = summary->facts[kind].n_tasks,
				     .work_ns = summary->breakdown.kind[kind].work_ns,
				     .n_samples = n ? n[kind] : 0,
				     .n_memory = n ? summary->sampled.code.memory_n[kind] : 0,
				     .cpu_ns = sampled_ns(summary, n ? n[kind] : 0),
				     .factor = (double)NAN };
}

static struct crowded_row *append(struct crowded *crowded, struct crowded_row row)
{
	crowded->row[crowded->n] = row;
	return &crowded->row[crowded->n++];
}

/* ---- with a baseline ---- */

static int by_code(const void *a, const void *b)
{
	return place_compare(*(const struct place *const *)a, *(const struct place *const *)b);
}

static void order_codes(struct building *building)
{
	uint32_t n = building->baseline->dag->n_kinds;

	building->code = xcalloc(n + 1ull, sizeof(const struct place *));
	for (kind_id k = 0; k < n; k++)
		building->code[k] = &building->baseline->rows.code[k];
	qsort(building->code, n, sizeof(const struct place *), by_code);
}

/* The kind of the same code; false if there is none. */
static bool find_baseline(const struct building *building, kind_id kind, kind_id *found)
{
	const struct place *code = &building->summary->rows.code[kind], **at;

	at = bsearch(&code, building->code, building->baseline->dag->n_kinds,
		     sizeof(const struct place *), by_code);
	if (at)
		*found = (kind_id)(*at - building->baseline->rows.code);
	return at;
}

/* Both have enough samples, and differ by more than chance: three times the error of the
 * difference of two counts. */
static bool is_sure(const struct crowded_row *usual, const struct crowded_row *longer)
{
	double n = (double)usual->n_samples, m = (double)longer->n_samples;

	return n >= SURE_SAMPLES && m >= SURE_SAMPLES && fabs(m - n) > 3 * sqrt(m + n);
}

/* The part of the samples that came with the workers. */
static double memory_share(const struct crowded_row *usual, const struct crowded_row *longer)
{
	return ((double)longer->n_memory - (double)usual->n_memory) /
	       ((double)longer->n_samples - (double)usual->n_samples);
}

static void set_factor(struct building *building, struct crowded_row *longer,
		       const struct crowded_row *usual)
{
	bool sampled = usual->cpu_ns != TABLE_UNKNOWN && longer->cpu_ns != TABLE_UNKNOWN;
	double a = (double)(sampled ? usual->cpu_ns : usual->work_ns);
	double b = (double)(sampled ? longer->cpu_ns : longer->work_ns);
	struct kind_stretch *kind = &building->crowded->kind[longer->kind];

	if (a <= 0)
		return;
	longer->factor = b / a;
	if (!sampled)
		return;
	building->sum[CROWDED_BASELINE] += a;
	building->sum[CROWDED_RUN] += b;
	*kind = (struct kind_stretch){ .is_known = usual->n_samples >= SURE_SAMPLES,
				       .is_sure = is_sure(usual, longer),
				       .factor = b / a,
				       .usual_ns = usual->cpu_ns,
				       .longer_ns = longer->cpu_ns };
	if (kind->is_sure)
		kind->memory = memory_share(usual, longer);
}

static void put_baseline(struct building *building, kind_id kind)
{
	struct crowded_row *usual, *longer;
	kind_id theirs;

	if (!building->baseline || !find_baseline(building, kind, &theirs))
		return;
	usual = append(building->crowded, row_of(building->baseline, theirs, CROWDED_BASELINE));
	usual->kind = kind;
	longer = append(building->crowded, row_of(building->summary, kind, CROWDED_RUN));
	set_factor(building, longer, usual);
}

/* ---- in one run ---- */

static double each(const struct crowded_row *row)
{
	return (double)(row->cpu_ns != TABLE_UNKNOWN ? row->cpu_ns : row->work_ns) /
	       (double)row->n_tasks;
}

static bool is_enough(const struct crowded_row *row)
{
	return row->n_tasks >= LEAST_TASKS && each(row) > 0 &&
	       (row->cpu_ns == TABLE_UNKNOWN || row->n_samples >= SURE_SAMPLES);
}

static void put_company(struct building *building, kind_id kind)
{
	const struct company *company = &building->company;
	const struct crowded_row *usual = NULL;

	for (uint32_t i = company->first[kind]; i < company->first[kind + 1]; i++) {
		const struct company_row *its = &company->row[i];
		struct crowded_row *row =
			append(building->crowded,
			       (struct crowded_row){
				       .kind = kind,
				       .what = CROWDED_BESIDE,
				       .others = its->others,
				       .n_tasks = its->n_tasks,
				       .work_ns = its->work_ns,
				       .n_samples = its->n_samples,
				       .cpu_ns = sampled_ns(building->summary, its->n_samples),
				       .factor = (double)NAN });

		if (!usual && is_enough(row))
			usual = row;
		if (usual && is_enough(row))
			row->factor = each(row) / each(usual);
	}
}

void crowded_build(struct crowded *crowded, const struct summary *summary,
		   const struct summary *baseline)
{
	struct building building = { .crowded = crowded, .summary = summary, .baseline = baseline };
	uint32_t n_kinds = summary->dag->n_kinds;

	company_build(&building.company, summary->dag, run_selected(summary->run),
		      summary->sampled.code.strand_n);

	*crowded = (struct crowded){ .factor = (double)NAN };
	if (baseline)
		order_codes(&building);
	crowded->row = xcalloc(building.company.first[n_kinds] + 2ull * n_kinds + 1,
			       sizeof(*crowded->row));
	crowded->kind = baseline ? xcalloc(n_kinds + 1ull, sizeof(*crowded->kind)) : NULL;
	for (uint32_t i = 0; i < summary->rows.n; i++) {
		put_baseline(&building, summary->rows.row[i].kind);
		put_company(&building, summary->rows.row[i].kind);
	}
	if (building.sum[CROWDED_BASELINE] > 0)
		crowded->factor = building.sum[CROWDED_RUN] / building.sum[CROWDED_BASELINE];
	company_free(&building.company);
	free(building.code);
}

void crowded_free(struct crowded *crowded)
{
	free(crowded->row);
	free(crowded->kind);
	*crowded = (struct crowded){ 0 };
}

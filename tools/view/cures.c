/* SPDX-License-Identifier: MIT */
/* cures.c - adds what ran in a simulated run to bins. */
#include "tools/view/cures.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"
#include "tools/view/bins.h"
#include "tools/view/section.h"

#define CLASSES (BINS_LEADING + 1) /* the last: all other kinds */

static uint32_t n_bins(const struct dag *dag)
{
	uint64_t n = CURES_CELLS / ((uint64_t)dag->n_workers * CLASSES);

	return (uint32_t)at_most(CURES_BINS, n ? n : 1);
}

static uint32_t class_of(kind_id kind, const kind_id leading[BINS_LEADING])
{
	uint32_t c = 0;

	while (c < BINS_LEADING && leading[c] != kind)
		c++;
	return c;
}

/* What ran in it, cut at the edges of bins. */
static void add(uint64_t *bin, const struct ran *ran, uint64_t width_ns)
{
	for (uint64_t ns = ran->start_ns, end; ns < ran->end_ns; ns = end) {
		end = at_most(ran->end_ns, (ns / width_ns + 1) * width_ns);
		bin[ns / width_ns] += end - ns;
	}
}

static void put_schedule(FILE *out, const struct view_run *run, const struct tried *tried,
			 uint32_t finding, const kind_id leading[BINS_LEADING])
{
	const struct tried_change *change = &tried->finding[finding].change[0];
	uint32_t bins = n_bins(run->dag);
	uint64_t width_ns = change->time.elapsed_ns / bins + 1;
	uint64_t cells = (uint64_t)run->dag->n_workers * CLASSES * bins;
	FREED uint64_t *sum = xcalloc(cells, sizeof(*sum));
	struct section section = { 0 };
	char name[24];

	for (uint64_t i = 0; i < change->schedule.n; i++) {
		const struct ran *ran = &change->schedule.ran[i];
		uint32_t class = class_of(dag_kind(run->dag, ran->strand), leading);

		add(&sum[((uint64_t)ran->worker * CLASSES + class) * bins], ran, width_ns);
	}
	for (uint64_t i = 0; i < cells; i++)
		section_byte(&section,
			     (uint8_t)((sum[i] * CURES_SHARES + width_ns / 2) / width_ns));
	snprintf(name, sizeof(name), "cure-%u", finding);
	section_put(out, &section, name);
}

void cures_put_schedules(FILE *out, const struct view_run *run, const struct tried *tried)
{
	kind_id leading[BINS_LEADING];

	bins_leading(run->summary, leading);
	for (uint32_t i = 0; i < tried->n_findings; i++)
		if (tried->finding[i].change[0].schedule.n)
			put_schedule(out, run, tried, i, leading);
}

void cures_put(FILE *out, const struct view_run *run, const struct tried *tried)
{
	struct json json = { out, false }, *to = &json;

	json_open(to, NULL, '{');
	JSON_NUMBERS(to, { "bins", n_bins(run->dag) }, { "shares", CURES_SHARES });
	tried_put_json(to, tried);
	json_open(to, "findings", '[');
	for (uint32_t i = 0; i < run->summary->findings.n; i++) {
		json_open(to, NULL, '{');
		json_number(to, "number", i);
		tried_put_json_finding(to, tried, i);
		json_close(to, '}');
	}
	json_close(to, ']');
	json_close(to, '}');
}

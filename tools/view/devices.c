/* SPDX-License-Identifier: MIT */
/* devices.c - a loop over the operations for their sites, one for the column, one over data. */
#include "tools/view/devices.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"
#include "tools/table/put.h"
#include "tools/view/section.h"

/* By site of the trace, and last for all that it does not define: 1 if an operation has it. */
static uint8_t *used_sites(const struct view_run *run)
{
	uint32_t n_sites = run->summary->defs->n_sites;
	uint8_t *used = xcalloc(n_sites + 1ull, 1);

	for (uint64_t i = 0; i < run->dag->n_operations; i++)
		used[at_most(run->dag->operation[i].site, n_sites)] = 1;
	return used;
}

static void put_device_site(FILE *out, const struct view_run *run, uint32_t number)
{
	const struct defs *defs = run->summary->defs;
	const struct defs_site *site = number < defs->n_sites ? &defs->site[number] : NULL;
	const char *device =
		site && site->runtime < defs->n_runtimes ? defs->runtime[site->runtime].name : NULL;

	fputs("{\"name\":", out);
	put_string(out, site && site->name ? site->name : "?");
	fputs(",\"device\":", out);
	put_string(out, device ? device : "?");
	fputs("}", out);
}

void operations_put_sites(FILE *out, const struct view_run *run)
{
	FREED uint8_t *used = used_sites(run);
	const char *comma = "";

	fputs(",\"operations\":[", out);
	for (uint32_t site = 0; site <= run->summary->defs->n_sites; site++) {
		if (!used[site])
			continue;
		fputs(comma, out);
		put_device_site(out, run, site);
		comma = ",";
	}
	fputs("]", out);
}

void operations_put(FILE *out, const struct view_run *run)
{
	const struct dag *dag = run->dag;
	uint32_t n_sites = run->summary->defs->n_sites, n = 0;
	FREED uint32_t *number = xcalloc(n_sites + 1ull, sizeof(*number));
	FREED uint8_t *used = used_sites(run);
	struct section section = { 0 };
	uint64_t last_ns = 0;

	for (uint32_t site = 0; site <= n_sites; site++)
		number[site] = used[site] ? n++ : 0;
	for (uint64_t i = 0; i < dag->n_operations; i++) {
		const struct dag_operation *its = &dag->operation[i];

		section_number(&section, number[at_most(its->site, n_sites)]);
		section_signed(&section, (int64_t)(its->begin_ns - last_ns));
		section_number(&section, its->end_ns - its->begin_ns);
		section_number(&section, its->task == TASK_NONE ? 0 : its->task + 1ull);
		section_number(&section,
			       its->task == TASK_NONE ? 0 : dag->task_kind[its->task] + 1ull);
		section_number(&section, its->bytes);
		last_ns = its->begin_ns;
	}
	section_put(out, &section, "operations");
}

void operations_put_data(FILE *out, const struct view_run *run)
{
	struct section section = { 0 };
	task_id last = 0;

	for (uint64_t i = 0; i < run->dag->n_data; i++) {
		const struct dag_data *its = &run->dag->data[i];
		task_id task = keep_task(&run->keep, its->task);

		if (task == TASK_NONE)
			continue;
		section_signed(&section, (int64_t)task - last);
		section_number(&section, its->object >> 32);
		section_number(&section, (uint32_t)its->object);
		section_number(&section, its->access);
		section_number(&section, its->node);
		section_number(&section, its->bytes);
		last = task;
	}
	section_put(out, &section, "data");
}

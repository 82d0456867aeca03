/* SPDX-License-Identifier: MIT */
/* counted.c - adds up counts of strands. */
#include "tools/analysis/counted.h"

#include <string.h>

#include "tools/base/xalloc.h"

static uint64_t within(const struct dag *dag, const struct select *select, strand_id s,
		       uint64_t count)
{
	uint64_t start = dag_start(dag, s), end = dag_end(dag, s);

	if (!select || !select->part)
		return count;
	if (start == end)
		return select_has(select, start, end) ? count : 0;
	return (uint64_t)((unsigned __int128)count * select_within(select, start, end) /
			  (end - start));
}

void counted_build(struct counts **counts, const struct dag *dag, const struct select *select)
{
	*counts = NULL;
	if (!dag->n_counters)
		return;
	*counts = xcalloc(dag->n_kinds + 1ull, sizeof(**counts));
	for (uint32_t i = 0; i < dag->n_counters; i++)
		for (strand_id s = 0; dag->count[i] && s < dag->n_strands; s++)
			if (dag->count[i][s])
				(*counts)[dag_kind(dag, s)].sum[i] +=
					within(dag, select, s, dag->count[i][s]);
}

void counted_add(struct counts *to, const struct counts *counts)
{
	for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
		to->sum[i] += counts->sum[i];
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (name && *names && strcmp(name, *names) != 0)
		names++;
	return name && *names;
}

struct counted_roles counted_roles_of(const char *const *name, uint32_t n)
{
	static const char *const instructions[] = { "PAPI_TOT_INS", "perf::INSTRUCTIONS",
						    "perf::PERF_COUNT_HW_INSTRUCTIONS", NULL };
	static const char *const cycles[] = { "PAPI_TOT_CYC", "perf::CYCLES",
					      "perf::PERF_COUNT_HW_CPU_CYCLES", NULL };
	struct counted_roles roles = { COUNTED_NONE, COUNTED_NONE };

	for (uint32_t i = 0; i < n; i++)
		if (is_one_of(name[i], instructions))
			roles.instructions = i;
		else if (is_one_of(name[i], cycles))
			roles.cycles = i;
	return roles;
}

double counted_ipc(const struct counts *counts, struct counted_roles roles)
{
	if (roles.instructions == COUNTED_NONE || roles.cycles == COUNTED_NONE ||
	    !counts->sum[roles.cycles])
		return 0;
	return (double)counts->sum[roles.instructions] / (double)counts->sum[roles.cycles];
}

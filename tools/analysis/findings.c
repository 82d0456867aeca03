/* SPDX-License-Identifier: MIT */
/* findings.c - looks for the evidence of known causes, kind by kind. */
#include "tools/analysis/findings.h"

#include <errno.h>
#include <stdlib.h>

const char *const finding_name[FINDING_IDS] = { "serial", "fine", "tracer" };

static bool is_serial(const struct charge *charge, struct finding *finding)
{
	finding->lost_ns = charge->no_work_app_ns;
	return charge->work_ns > 0;
}

static bool is_fine(const struct charge *charge, const struct kind_facts *facts,
		    struct finding *finding)
{
	finding->lost_ns = charge->delay_ns;
	if (facts->n_begun < FINE_TASKS || facts->median_ns > FINE_WORK_NS ||
	    charge->delay_ns <= charge->work_ns / FINE_COST)
		return false;
	finding->median_ns = facts->median_ns;
	finding->cost_ns = charge->delay_ns / facts->n_begun;
	finding->n_tasks = facts->n_begun;
	return true;
}

static int costly_first(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->lost_ns != y->lost_ns)
		return x->lost_ns < y->lost_ns ? 1 : -1;
	return x->kind < y->kind ? -1 : 1;
}

static void add_tracer(struct findings *findings, const struct dag *dag,
		       const struct breakdown *breakdown, double least)
{
	struct finding finding = { .id = FINDING_TRACER,
				   .lost_ns = charge_sum(&breakdown->state[STATE_TRACER]) };

	for (uint32_t k = 1; k < dag->n_kinds; k++)
		if (breakdown->tracer_ns[k] > breakdown->tracer_ns[finding.kind])
			finding.kind = k;
	if (finding.lost_ns && (double)finding.lost_ns >= least)
		findings->finding[findings->n++] = finding;
}

int findings_build(struct findings *findings, const struct dag *dag,
		   const struct breakdown *breakdown, const struct kind_facts *facts)
{
	double least = FINDING_SHARE * (double)charge_sum(&breakdown->total);

	*findings = (struct findings){ 0 };
	findings->finding =
		calloc(dag->n_kinds * (uint64_t)FINDING_BY_KIND + 2, sizeof(*findings->finding));
	if (!findings->finding)
		return -ENOMEM;
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		for (int id = 0; id < FINDING_BY_KIND; id++) {
			struct finding finding = { .id = (enum finding_id)id, .kind = k };
			bool is = id == FINDING_SERIAL
					  ? is_serial(&breakdown->kind[k], &finding)
					  : is_fine(&breakdown->kind[k], &facts[k], &finding);

			if (is && (double)finding.lost_ns >= least && finding.lost_ns > 0)
				findings->finding[findings->n++] = finding;
		}
	}
	add_tracer(findings, dag, breakdown, least);
	qsort(findings->finding, findings->n, sizeof(*findings->finding), costly_first);
	return 0;
}

void findings_free(struct findings *findings)
{
	free(findings->finding);
	*findings = (struct findings){ 0 };
}

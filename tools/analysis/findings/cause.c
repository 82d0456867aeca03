/* SPDX-License-Identifier: MIT */
/* cause.c - what causes make findings with. */
#include "tools/analysis/findings/cause.h"

#include "tools/base/at_most.h"

/* What other programs left of the workers' time: findings may claim no more. */
static double left_ns(const struct clues *clues)
{
	double all = (double)charge_sum(&clues->breakdown->total);

	return machine_is_oversubscribed(clues->machine, clues->dag)
		       ? all
		       : all - clues->waited.ns - without_cpu(clues);
}

bool is_worth(const struct clues *clues, const struct loss *loss)
{
	return loss->ns >= 1 && loss->ns >= FINDING_SHARE * left_ns(clues);
}

uint64_t not_explained(const struct findings *findings)
{
	uint64_t explained = 0;

	for (uint32_t i = 0; i < findings->n; i++)
		explained += findings->finding[i].lost_ns;
	return findings->total_ns - at_most(explained, findings->total_ns);
}

void burial_add(struct finding *finding, const struct burial *burial)
{
	finding->worker = burial->worker;
	finding->from_ns = burial->from_ns;
	finding->to_ns = burial->to_ns;
	finding->when = burial->when;
	FACTS(finding, fact_count("burials", burial->n), fact_count("worker", burial->worker),
	      fact_kind("over", burial->over), fact_ns("from", burial->from_ns),
	      fact_ns("to", burial->to_ns));
}

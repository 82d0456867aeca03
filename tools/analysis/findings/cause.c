/* SPDX-License-Identifier: MIT */
/* cause.c - what causes make findings with. */
#include "tools/analysis/findings/cause.h"

#include "tools/base/map.h"

bool is_worth(const struct clues *clues, const struct loss *loss)
{
	return loss->ns >= 1 &&
	       loss->ns >= FINDING_SHARE * (double)charge_sum(&clues->breakdown->total);
}

struct finding *finding_add(struct findings *findings, const struct cause *cause,
			    const struct clues *clues, const struct loss *loss, kind_id kind)
{
	uint32_t n_workers = clues->dag->n_workers;
	struct finding *finding;

	if (!array_grow(&findings->finding, &findings->room, findings->n + 1ull,
			sizeof(*findings->finding)))
		return NULL;
	finding = &findings->finding[findings->n++];
	*finding = (struct finding){ .id = cause->about.id,
				     .lost_ns = (uint64_t)(loss->ns + .5),
				     .path_ns = (uint64_t)(loss->path_ns + .5),
				     .kind = kind,
				     .site = SITE_NONE,
				     .n_workers = n_workers };
	finding->elapsed_ns = n_workers ? finding->lost_ns / n_workers : 0;
	FACTS(finding, fact_count("workers", n_workers));
	return finding;
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

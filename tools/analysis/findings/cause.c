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
	facts_add(finding,
		  (const struct fact[]){ { "workers", FACT_COUNT, { n_workers } }, { 0 } });
	return finding;
}

void burial_add(struct finding *finding, const struct burial *burial)
{
	finding->worker = burial->worker;
	finding->from_ns = burial->from_ns;
	finding->to_ns = burial->to_ns;
	finding->when = burial->when;
	facts_add(finding, (const struct fact[]){ { "burials", FACT_COUNT, { burial->n } },
						  { "worker", FACT_COUNT, { burial->worker } },
						  { "over", FACT_KIND, { burial->over } },
						  { "from", FACT_NS, { burial->from_ns } },
						  { "to", FACT_NS, { burial->to_ns } },
						  { 0 } });
}

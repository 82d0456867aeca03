/* SPDX-License-Identifier: MIT */
/* cause.c - what causes make findings with. */
#include "tools/analysis/findings/cause.h"

#include <errno.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"

bool is_worth(const struct clues *clues, const struct loss *loss)
{
	return loss->ns >= 1 &&
	       loss->ns >= FINDING_SHARE * (double)charge_sum(&clues->breakdown->total);
}

struct finding *finding_add(struct findings *findings, const struct cause *cause,
			    struct ledger *ledger, const struct loss *loss, kind_id kind)
{
	uint32_t n_workers = ledger->clues->dag->n_workers;
	struct finding *finding;

	if (ledger->error || !is_worth(ledger->clues, loss))
		return NULL;
	if (!array_grow(&findings->finding, &findings->room, findings->n + 1ull,
			sizeof(*findings->finding))) {
		ledger->error = -ENOMEM;
		return NULL;
	}
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

uint64_t not_explained(const struct findings *findings)
{
	uint64_t explained = 0;

	for (uint32_t i = 0; i < findings->n; i++)
		explained += findings->finding[i].lost_ns;
	return findings->total_ns - at_most(explained, findings->total_ns);
}

struct loss rest_most(const struct findings *findings, double ns)
{
	double rest = (double)not_explained(findings);

	return (struct loss){ .ns = ns < rest ? ns : rest };
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

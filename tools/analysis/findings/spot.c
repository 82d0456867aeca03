/* SPDX-License-Identifier: MIT */
/* spot.c - what samples at one spot of a kind stand for, and tell. */
#include "tools/analysis/findings/cause.h"

double samples_ns(const struct clues *clues, uint64_t n)
{
	return spots_ns(clues->spots, n, clues->machine_rows->total.cpu_ns);
}

/* Tasks hinder one another there. */
static bool meets(const struct kind_spot *spot)
{
	return spot->spot != SPOT_NONE && spot->spot < SPOT_FAULTS;
}

/* Of the samples in which the kind's tasks slept. */
static double share_asleep(const struct kind_spot *spot)
{
	return spot->asleep_kind_ns ? (double)spot->asleep_ns / (double)spot->asleep_kind_ns : 0;
}

/* Samples that count: a loop that waits does nothing else, whoever is there. */
static uint64_t n_lost(const struct kind_spot *spot)
{
	return spot->spot == SPOT_SPIN ? spot->n : spot->n_together;
}

/* A lock, its word, and what it guards are one cause. */
static bool is_one_cause(const struct kind_spot *a, const struct kind_spot *b)
{
	static const bool memory[SPOTS] = {
		[SPOT_LOCK] = true, [SPOT_ATOMIC] = true, [SPOT_LINE] = true, [SPOT_SPIN] = true
	};

	return a->kind == b->kind && (a == b || (memory[a->spot] && memory[b->spot]));
}

bool spot_sum(const struct kind_spots *spots, uint32_t at, struct kind_spot *sum)
{
	const struct kind_spot *spot = &spots->spot[at];

	if (!meets(spot))
		return false;
	*sum = *spot;
	sum->n = sum->n_together = sum->n_apart = sum->asleep_ns = 0;
	for (uint32_t i = 0; i < spots->n; i++) {
		const struct kind_spot *other = &spots->spot[i];

		if (!is_one_cause(spot, other))
			continue;
		if (n_lost(other) > n_lost(spot) || (n_lost(other) == n_lost(spot) && other < spot))
			return false;
		sum->n += n_lost(other);
		sum->n_together += other->n_together;
		sum->n_apart += other->n_apart;
		sum->asleep_ns += other->asleep_ns;
	}
	return sum->n >= SURE_SAMPLES;
}

void spot_claim(struct ledger *ledger, const struct kind_spot *spot)
{
	struct loss *slept = ledger_row(ledger, ROW_WORK_SLEPT, spot->kind);

	claim_part(ledger, ledger_row(ledger, ROW_WORK, spot->kind),
		   samples_ns(ledger->clues, spot->n));
	claim_part(ledger, slept, slept->ns * share_asleep(spot));
}

void spot_facts(const struct kind_spots *spots, uint32_t at, struct finding *finding)
{
	const char *place = spots->spot[at].place;
	struct kind_spot spot;

	if (!spot_sum(spots, at, &spot))
		return;
	FACTS(finding, fact_string("function", spot.function),
	      fact_share("of_cpu", (double)spot.n / (double)spot.n_kind));
	if (place[0])
		FACTS(finding, fact_string(spot.is_own ? "at" : "caller", place));
	if (spot.asleep_ns)
		FACTS(finding, fact_ns("slept", spot.asleep_ns));
}

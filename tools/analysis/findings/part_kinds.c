/* SPDX-License-Identifier: MIT */
/* part_kinds.c - the parts of the ready path (clues.h) by kind: what all of a kind's are. */
#include "tools/analysis/findings/cause.h"

uint32_t part_worker(const struct clues *clues, const struct part *part)
{
	return clues->dag->strand[part->longest].worker;
}

struct part part_of_kind(const struct clues *clues, uint32_t i)
{
	struct part sum = clues->part[i];

	for (uint32_t j = sum.next; j; j = clues->part[j].next) {
		const struct part *part = &clues->part[j];

		loss_add(&sum.loss, &part->loss);
		sum.n += part->n;
		sum.n_follow += part->n_follow;
		sum.from_ns = part->from_ns < sum.from_ns ? part->from_ns : sum.from_ns;
		sum.to_ns = part->to_ns > sum.to_ns ? part->to_ns : sum.to_ns;
		sum.n_waits += part->n_waits;
		sum.moved |= part->moved || part_worker(clues, part) != part_worker(clues, &sum);
		when_join(&sum.when, &part->when);
		sum.path_ns += part->path_ns;
		sum.waited_ns += part->waited_ns;
		sum.busy_ns += part->busy_ns;
		if (part->longest_ns > sum.longest_ns) {
			sum.longest_ns = part->longest_ns;
			sum.longest = part->longest;
			sum.begin_ns = part->begin_ns;
			sum.end_ns = part->end_ns;
			sum.alone_ns = part->alone_ns;
			sum.wait = part->wait;
		}
	}
	return sum;
}

double part_busy(const struct part *part)
{
	return part->path_ns > 0 ? part->busy_ns / part->path_ns : 0;
}

void part_claim(struct ledger *ledger, uint32_t i)
{
	do
		claim(ledger, ledger_row(ledger, ROW_PART, i));
	while ((i = ledger->clues->part[i].next));
}

struct finding *part_finding(struct findings *findings, const struct cause *cause,
			     struct ledger *ledger, const struct part *part)
{
	struct finding *finding = finding_claim(findings, cause, ledger, part->kind);

	if (!finding)
		return NULL;
	finding->from_ns = part->begin_ns;
	finding->to_ns = part->end_ns;
	finding->when = part->when;
	FACTS(finding, fact_real("busy", part_busy(part)));
	return finding;
}

#define PART_IDLE .25 /* of what the other workers could do meanwhile */
bool part_is_idle(const struct clues *clues, const struct part *part)
{
	/* in neither is what the machine took */
	double ran_ns = part->path_ns - part->waited_ns;

	return part->loss.ns >= PART_IDLE * ran_ns * (clues->dag->n_workers - 1);
}

bool part_is_in_a_row(const struct clues *clues, const struct part *part)
{
	for (uint32_t i = 0; i < clues->n_parts; i++) {
		const struct part *other = &clues->part[i];

		if (other->role == ROLE_CHAIN && other->kind != part->kind &&
		    is_worth(clues, &other->loss) && part_is_idle(clues, other))
			return true;
	}
	return 2 * part->n_follow >= part->n;
}

/* SPDX-License-Identifier: MIT */
/* calls.c - calls that take locks while they are free, or release them: what they cost. */
#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"

#define CALLS_LEAST 200u /* fewer are no pattern */
#define CALL_EVENTS 2u	 /* one ends a strand, one begins the next */

uint64_t calls_tracer_ns(const struct clues *clues)
{
	return CALL_EVENTS * clues->between_ps / 1000;
}

uint64_t calls_each_ns(const struct clues *clues, uint64_t n, uint64_t sum_ns)
{
	uint64_t each = n ? sum_ns / n : 0;

	return each - at_most(calls_tracer_ns(clues), each);
}

/* What was lost in calls, without *own, which is the recorder's. */
static struct loss loss_of(const struct clues *clues, const struct wait_clues *wait,
			   struct loss *own)
{
	struct loss loss = wait->calls;

	*own = loss_take(&loss,
			 (double)wait->n_calls * CALL_EVENTS * (double)clues->between_ps / 1000);
	return loss;
}

struct loss calls_recorded(const struct clues *clues)
{
	struct loss sum = { 0 }, own;

	for (uint32_t i = 0; i < clues->dag->n_waits; i++) {
		loss_of(clues, &clues->wait[i], &own);
		loss_add(&sum, &own);
	}
	return sum;
}

struct loss calls_at(const struct clues *clues, uint32_t wait)
{
	struct loss own, loss = loss_of(clues, &clues->wait[wait], &own);
	bool worth = clues->wait[wait].n_calls >= CALLS_LEAST && is_worth(clues, &loss);

	return worth ? loss : (struct loss){ 0 };
}

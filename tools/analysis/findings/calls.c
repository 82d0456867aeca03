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

/* Recording's part of them is no cost of the calls. */
void calls_settle(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->dag->n_waits; i++)
		*ledger_row(ledger, ROW_CALL_EVENTS, i) =
			loss_take(ledger_row(ledger, ROW_CALLS, i),
				  (double)clues->wait[i].n_calls * CALL_EVENTS *
					  (double)clues->between_ps / 1000);
}

bool calls_are_worth(const struct ledger *ledger, uint32_t wait)
{
	return ledger->clues->wait[wait].n_calls >= CALLS_LEAST &&
	       is_worth(ledger->clues, ledger_row(ledger, ROW_CALLS, wait));
}

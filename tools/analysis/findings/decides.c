/* SPDX-License-Identifier: MIT */
/* decides.c - locks that decide how long tasks take, whatever else these cost. */
#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"

#define DECIDES 2u /* held for half of the time */

static bool waits_for_it(const struct lock *lock, kind_id kind)
{
	for (uint32_t i = 0; i < lock->n_waiters && i < LOCK_KINDS; i++)
		if (lock->waiter[i].kind == kind)
			return true;
	return false;
}

/* Which part of the work of tasks that wait for it is under the lock. */
static double share_under(const struct clues *clues, const struct lock *lock)
{
	/* who waits waits for somebody who holds it */
	uint64_t held_ns = lock->serial_ns ? lock->serial_ns : lock->busy_ns;
	uint64_t work_ns = 0;

	for (uint32_t i = 0; i < lock->n_waiters && i < LOCK_KINDS; i++)
		work_ns += clues->breakdown->kind[lock->waiter[i].kind].work_ns;
	return work_ns ? (double)at_most(held_ns, work_ns) / (double)work_ns : 0;
}

const struct lock *lock_that_decides(const struct clues *clues, kind_id kind, double *share)
{
	const struct lock *found = NULL;

	*share = 0;
	for (uint32_t i = 0; clues->locks && i < clues->locks->n; i++) {
		const struct lock *lock = &clues->locks->lock[i];
		const struct lock *whole = locks_whole(clues->locks, lock);
		double under;

		lock = whole ? whole : lock;
		if (lock->n_objects != 1 || 2 * lock->n_entries < clues->facts[kind].n_begun ||
		    !waits_for_it(lock, kind))
			continue;
		under = share_under(clues, lock);
		if (under * DECIDES * clues->dag->n_workers < 1 || under <= *share)
			continue;
		found = lock;
		*share = under;
	}
	return found;
}

/* SPDX-License-Identifier: MIT */
/*
 * qth_team.h - teams of Qthreads (qt_team_*): a first task, and those that it creates.
 *
 * A team is a bag by the word that its first task returns, which the library fills when all of
 * them have ended.  As an owner it has one bit set, or two for the first task itself.
 */
#pragma once

#include "shims/common/wrap.h"

#define QTH_TEAM 1u
#define QTH_LEADER 2u
#define QTH_TEAM_BAG(team) (((team) | QTH_LEADER) & ~(uintptr_t)QTH_TEAM)

/* The code of a team's first task is done; it ends when the word is filled. */
void qth_team_leader_waits(struct worker *worker, uintptr_t team) CALL_HIDDEN;
void qth_team_leader_ends(uintptr_t at) CALL_HIDDEN;

extern _Atomic uint32_t qth_team_n_waiting CALL_HIDDEN; /* first tasks of teams that wait */

/* Hot path: the library fills a word with what a task has returned. */
static inline void qth_team_fills(uintptr_t at)
{
	if (__builtin_expect(atomic_load_explicit(&qth_team_n_waiting, memory_order_relaxed) != 0,
			     0))
		qth_team_leader_ends(at);
}

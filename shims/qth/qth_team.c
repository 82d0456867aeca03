/* SPDX-License-Identifier: MIT */
/*
 * qth_team.c - the end of a team.
 *
 * When the code of a team's first task is done the library waits for the others, and then fills
 * the first one's word, from where it may be on another thread.  Until then the task is recorded
 * as waiting for its team.
 */
#include "shims/common/memo.h"
#include "shims/qth/qth.h"

#include "preload/poison.h"

static struct memo waiting;

void qth_team_leader_waits(struct worker *worker, uintptr_t team)
{
	uintptr_t at = team & ~(uintptr_t)(QTH_TEAM | QTH_LEADER);

	if (!memo_put(&waiting, at, worker->task)) {
		record_end(worker, 0); /* it seems to end before its team */
		return;
	}
	record_wait_for(worker, 0, WIRE_WAIT_BAG, QTH_TEAM_BAG(team));
	worker->task = 0;
}

/* Hot path. */
void qth_team_fills(uintptr_t at)
{
	record_id task = memo_take(&waiting, at);
	struct worker *worker = task ? record_worker() : NULL;

	if (!worker)
		return;
	stay_resume_from(worker, NULL, task);
	record_end(worker, 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * qth_team.c - the end of a team.
 *
 * When the code of a team's first task is done the library waits for the others, and then fills
 * the first one's word, from where it may be on another thread.  Until then the task is recorded
 * as waiting for its team.
 */
#include "shims/qth/qth.h"
#include "shims/qth/qth_team.h"

#include "preload/poison.h"

#define WAITING 256u

_Atomic uint32_t qth_team_n_waiting;

static struct {
	_Atomic uintptr_t at;
	record_id task;
} waiting[WAITING];

void qth_team_leader_waits(struct worker *worker, uintptr_t team)
{
	uintptr_t at = team & ~(uintptr_t)(QTH_TEAM | QTH_LEADER);

	for (uint32_t i = 0; i < WAITING; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&waiting[i].at, &none, 1))
			continue;
		record_wait_for(worker, 0, WIRE_WAIT_BAG, QTH_TEAM_BAG(team));
		waiting[i].task = worker->task;
		worker->task = 0;
		atomic_fetch_add(&qth_team_n_waiting, 1);
		atomic_store_explicit(&waiting[i].at, at, memory_order_release);
		return;
	}
	record_end(worker, 0); /* too many: then it seems to end before its team */
}

void qth_team_leader_ends(uintptr_t at)
{
	struct worker *worker = record_worker();

	for (uint32_t i = 0; i < WAITING; i++) {
		if (atomic_load_explicit(&waiting[i].at, memory_order_acquire) != at)
			continue;
		if (worker) {
			stay_resume_from(worker, NULL, waiting[i].task);
			record_end(worker, 0);
		}
		atomic_store_explicit(&waiting[i].at, 0, memory_order_release);
		atomic_fetch_sub(&qth_team_n_waiting, 1);
		return;
	}
}

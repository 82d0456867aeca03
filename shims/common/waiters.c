/* SPDX-License-Identifier: MIT */
/* waiters.c - counts the tasks that wait. */
#include "shims/common/waiters.h"

#include <sys/mman.h>

_Alignas(WORKER_PAGE) _Atomic uint32_t waiting_tasks[WORKER_PAGE / 4];
_Static_assert(WORKER_PAGE / 4 >= WAITING_PLACES, "has a place for each");

__attribute__((constructor)) static void wipe_on_fork(void)
{
	madvise((void *)waiting_tasks, sizeof(waiting_tasks), MADV_WIPEONFORK);
}

struct waiting waiting_begin(struct worker *worker, uint64_t ticks, uint32_t site,
			     enum wire_wait wait, const void *object)
{
	struct waiting waiting = { worker->task, waiting_place(object) };

	record_event_at(worker, ticks, WIRE_WAIT, site_make(site, wait));
	record_detail(worker, WIRE_OBJECT, (uintptr_t)object);
	atomic_fetch_add(&waiting_tasks[waiting.place], 1);
	return waiting;
}

void waiting_end(struct waiting *waiting)
{
	struct worker *worker = worker_self();

	if (!waiting->task)
		return;
	waiting_uncount(waiting->place);
	clock_fence();
	if (worker)
		record_resume(worker, waiting->task);
}

/* SPDX-License-Identifier: MIT */
/* mth_once.c - what myth_once() and pthread_once() are handed in the place of the program's code.
 */
#include "shims/mth/mth_once.h"

#include "preload/poison.h"

__thread struct mth_once mth_once;

/* A caller that gets here has not waited. */
void mth_once_run(void)
{
	struct mth_once once = mth_once;

	stay_return(&once.stay);
	once.init();
	struct worker *worker = record_worker();

	if (!worker)
		return;
	record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)once.once);
	stay_leave(worker);
}

/* SPDX-License-Identifier: MIT */
/* mth_run.c - births, where they are kept, and the code that begins a task with one; and what runs
 * the program's code once. */
#include "shims/mth/mth.h"
#include "shims/common/pool.h"

#include "preload/poison.h"

static struct pool births = { .record_bytes = sizeof(struct birth) };

/* Hot path: a birth from this worker's list. */
struct birth *birth_new(struct worker *worker)
{
	return pool_take(&births, pool_place(worker, POOL_MTH), worker->index);
}

/* Hot path: a birth to this worker's list. */
void birth_free(struct worker *worker, struct birth *birth)
{
	pool_give(&births, pool_place(worker, POOL_MTH), worker->index, birth);
}

/* Hot path: runs a task.  Nothing is below it: the stack is its own. */
void *birth_run(void *arg)
{
	struct birth birth = *(struct birth *)arg;
	struct worker *worker = record_worker();
	void *result;

	if (!worker)
		return birth.func(birth.arg);
	birth_free(worker, arg);
	record_begin(worker, birth.id);
	result = birth.func(birth.arg);
	stay_end_moved();
	return result;
}

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

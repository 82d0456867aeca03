/* SPDX-License-Identifier: MIT */
/* mth_birth.c - births: where they are kept, and the code that begins a task with one. */
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

/* SPDX-License-Identifier: MIT */
/*
 * gomp_loop.c - GOMP_taskloop(): its tasks are long ones, members of a group.
 *
 * What libgomp runs at once it runs on the one block that it is handed, one task after the other.
 */
#include "shims/gomp/gomp_long.h"

#include "preload/poison.h"

static record_id loop_fork(struct worker *worker, uint32_t site, unsigned flags)
{
	if (flags & GOMP_FLAG_FINAL)
		record_final();
	return record_fork(worker, site,
			   WIRE_FORK_LOOP | (flags & GOMP_FLAG_NOGROUP ? WIRE_FORK_NOWAIT : 0) |
				   (flags & GOMP_FLAG_IF ? 0 : WIRE_FORK_UNDEFERRED) |
				   (flags & GOMP_FLAG_FINAL ? WIRE_FORK_FINAL : 0));
}

/* Of the program's arguments: (fn, data, cpyfn, bytes, align, flags; n_tasks, ..) */
static struct aside *loop_enter(struct callsite *callsite, uintptr_t in[6])
{
	struct worker *worker = gomp_worker(callsite);
	struct omp_aside *aside = worker ? omp_aside_open(worker, gomp_aside_back) : NULL;
	struct long_head head = { .loop = true, .n_words = 2 };
	unsigned flags = (unsigned)in[5];
	void *room;

	if (!aside)
		return NULL;
	if (gomp_of(callsite)->head.other) {
		aside->head.back = omp_loop_back;
		ompt_loop_open(&aside->loop, worker, loop_fork(worker, callsite->site, flags));
		return &aside->head;
	}
	room = long_room(aside, in);
	if (!room)
		return NULL;
	if (flags & GOMP_FLAG_REDUCTION)
		head.word[2] = ((const uint64_t *)in[IN_DATA])[2]; /* NOLINT: words */
	head.id = loop_fork(worker, callsite->site, flags);
	in[IN_FN] = gomp_body(worker, in[IN_FN]);
	long_lay(room, head, in);
	return &aside->head;
}

#define TASKLOOP(name)                                                                             \
	ASIDE_WRAPPER(name);                                                                       \
	ASIDE_ENTER(name)                                                                          \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, gomp, name, in[IN_FN]);            \
                                                                                                   \
		return (struct aside_entered){ (const void *)(uintptr_t)gomp_of(callsite)->name,   \
					       loop_enter(callsite, in) };                         \
	}

TASKLOOP(GOMP_taskloop)
TASKLOOP(GOMP_taskloop_ull)

/* SPDX-License-Identifier: MIT */
/* ompt_loop.c - the wrappers of clang's taskloops, inside of which tasks are made and run. */
#include "shims/ompt/ompt_kmpc.h"

#include "shims/ompt/omp_aside.h"

#include "preload/poison.h"

/*
 * Where a task's code pointer is, seen from its word: a task without code is made, of which only
 * the callbacks learn.  [kmp.h: struct kmp_task lies behind kmp_taskdata, and the pointer is its
 * second; compilers rely on that]
 */
static void find_task_offset(const struct kmpc *kmpc, void *loc, int gtid)
{
	enum { TASK_BYTES = 40 };
	const void *word = NULL;
	char *task;

	task = kmpc->__kmpc_omp_task_alloc(loc, gtid, FLAG_TIED, TASK_BYTES, 0,
					   (void *)(uintptr_t)kmpc_nothing);
	ompt_thread.probe = &word;
	kmpc->__kmpc_omp_task_begin_if0((uintptr_t)loc, (uintptr_t)gtid, (uintptr_t)task);
	kmpc->__kmpc_omp_task_complete_if0(loc, gtid, task);
	ompt_thread.probe = NULL;
	if (word)
		atomic_store(
			&ompt_state.task_offset,
			(uint32_t)(task + offsetof(struct kmpc_task, code) - (const char *)word));
}

/* The pattern of its tasks was allocated before, but is none itself. */
static void loop_fork(struct ompt_loop *loop, struct worker *worker, uint32_t site, int if_value,
		      int no_group)
{
	bool noted = ompt_has_note(worker, OMPT_NOTE_TASK);
	uint32_t flags = WIRE_FORK_LOOP | (no_group ? WIRE_FORK_NOWAIT : 0) |
			 (if_value ? 0 : WIRE_FORK_UNDEFERRED) |
			 (noted && ompt_thread.note_flags & FLAG_FINAL ? WIRE_FORK_FINAL : 0);

	ompt_thread.kmpc = NULL;
	if (flags & WIRE_FORK_FINAL)
		record_final();
	if (noted) {
		record_event_at(worker, ompt_thread.note_ticks, WIRE_FORK,
				site_make(ompt_thread.task_site, flags));
	} else {
		record_event(worker, WIRE_FORK, site_make(site, flags));
	}
	ompt_loop_open(loop, worker, record_next_id(worker));
}

/* Hot path.  (loc, gtid, task, if_value, lower, upper; stride, no_group, ..) */
static inline struct aside *loop_enter(struct callsite *callsite, const uintptr_t in[6],
				       const uintptr_t *on_stack)
{
	struct worker *worker = ompt_worker(callsite);
	struct omp_aside *aside = worker ? omp_aside_open(worker, omp_loop_back) : NULL;

	if (!aside)
		return NULL;
	loop_fork(&aside->loop, worker, callsite->site, (int)in[3], (int)on_stack[1]);
	if (!atomic_load_explicit(&ompt_state.task_offset, memory_order_relaxed))
		find_task_offset(kmpc_of(callsite), (void *)in[0], (int)in[1]); /* NOLINT: words */
	return &aside->head;
}

#define TASKLOOP(name)                                                                             \
	ASIDE_WRAPPER(name);                                                                       \
	ASIDE_ENTER(name)                                                                          \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, kmpc, name, NULL);                 \
                                                                                                   \
		return (struct aside_entered){ (const void *)(uintptr_t)kmpc_of(callsite)->name,   \
					       loop_enter(callsite, in, on_stack) };               \
	}

TASKLOOP(__kmpc_taskloop)
TASKLOOP(__kmpc_taskloop_5)

/* SPDX-License-Identifier: MIT */
/* ompt_loop.c - the wrappers of clang's taskloops, inside of which tasks are made and run. */
#include "shims/ompt/ompt_kmpc.h"

#include "shims/common/hand.h"

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

/* Hot path: with 48 bytes of stack, since tasks run inside.  What is kept is a struct ompt_loop. */
static inline struct hand loop_enter(struct callsite *callsite, const void *to,
				     const uintptr_t in[6], uintptr_t *on_stack)
{
	struct worker *worker = ompt_worker(callsite);
	int no_group = (int)on_stack[1];

	if (!worker)
		return (struct hand){ to, HAND_NOT };
	loop_fork((struct ompt_loop *)on_stack, worker, callsite->site, (int)in[3], no_group);
	if (!atomic_load_explicit(&ompt_state.task_offset, memory_order_relaxed))
		find_task_offset(kmpc_of(callsite), (void *)in[0], (int)in[1]);
	return (struct hand){ to, HAND_COPIED };
}

#define TASKLOOP(name, HAND)                                                                       \
	HAND_DECLARE(name);                                                                        \
	struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)                 \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, kmpc, name, NULL);                 \
                                                                                                   \
		return loop_enter(callsite, (const void *)(uintptr_t)kmpc_of(callsite)->name, in,  \
				  on_stack);                                                       \
	}                                                                                          \
	int name##_leave(uintptr_t *on_stack, int returned)                                        \
	{                                                                                          \
		ompt_loop_close((struct ompt_loop *)on_stack);                                     \
		return returned;                                                                   \
	}                                                                                          \
	HAND(name)

/* (loc, gtid, task, if_value, lower, upper; stride, no_group, schedule, grain, [modifier,] copy) */
_Static_assert(sizeof(struct ompt_loop) <= 5 * sizeof(uintptr_t), "lies in the arguments' place");
TASKLOOP(__kmpc_taskloop, HAND_5);
TASKLOOP(__kmpc_taskloop_5, HAND_6);

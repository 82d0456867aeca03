/* SPDX-License-Identifier: MIT */
/*
 * steal.h - a work-stealing runtime that marks what it does with tptrace_task.h.
 *
 * Each worker has a deque of ready tasks: it takes its own newest, and steals another's oldest.  A
 * task has a stack of its own; one that waits leaves its worker, and goes on where whoever ends its
 * wait, or a thief, takes it.  The thread that called steal_start() is worker 0: it keeps its stack
 * and runs tasks while it waits.  For tests: correct, not fast.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include "shims/task/tptrace_task.h"

struct steal_task;
struct steal_fiber;

/* Zero is unlocked; held for a few instructions, or while its holder is leaving its stack. */
struct steal_lock {
	int held;
};

/* Tasks that are waited for together.  Zero is an empty one. */
struct steal_group {
	struct steal_lock lock;
	long n_open;
	struct steal_fiber *waiter;
};

/* Zero is unset.  One task may wait for it, as often as it is set. */
struct steal_event {
	struct steal_lock lock;
	bool is_set;
	struct steal_fiber *waiter;
};

struct steal_next;

/* The caller's; zero as long as it is no task, and it must last as long as the group is open. */
struct steal_task {
	tptrace_task_t trace;
	void (*code)(void *arg);
	void *arg;
	struct steal_group *group;
	struct steal_lock lock;
	bool is_made, is_done;
	long n_before;		  /* tasks that must end first, and one until it is made */
	struct steal_next *after; /* who comes after it */
};

void steal_start(unsigned n_workers);
void steal_stop(void);

/* code(arg) becomes a task of the group. */
void steal_spawn(struct steal_task *task, struct steal_group *group, void (*code)(void *),
		 void *arg);

/* Likewise, not before the n others have ended; those that were never made count as ended. */
void steal_spawn_after(struct steal_task *task, struct steal_group *group, void (*code)(void *),
		       void *arg, struct steal_task *const *before, int n);

/* Until all tasks of the group have ended.  It may be used again. */
void steal_wait(struct steal_group *group);

void steal_event_wait(struct steal_event *event);
void steal_event_set(struct steal_event *event);
void steal_yield(void);

/* Which worker the caller is on. */
unsigned steal_worker(void);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * effects.h - what each event of a trace does to the dag in the making.
 *
 * The event at hand is that of the state.  There is a handler for each kind.
 */
#pragma once

#include "tools/dag/gap.h"
#include "tools/dag/held.h"
#include "tools/dag/kind.h"

struct effects {
	struct state *state;
	struct kinds *kinds;
	struct depend *depend;
	struct join *join;
	struct gaps *gaps;
	struct held *held;
	struct tallies *tallies;
	task_id empty;	   /* what the event before created, to be completed; TASK_NONE */
	bool signals_by;   /* the event before is a SIGNAL_BY, .. */
	task_id signaller; /* .. of this task; TASK_NONE: of none that has ended */
};

int effects_apply(struct effects *events);

/*
 * merge.h: among events of one time, what others may be waiting for comes first.  The context is
 * a struct effects.
 */
unsigned effects_rank(const void *context, uint32_t worker, const struct event *event);

/* A handler for each kind of event.  All give 0, or -errno and the state's err. */
/* ends.c: a strand ends. */
int on_create(struct effects *events);
int on_fork(struct effects *events);
int on_wait(struct effects *events);
int on_yield(struct effects *events);
int on_signal(struct effects *events);
int on_end(struct effects *events);
/* Before any other timed event: all is said of the empty task that was created last. */
void complete_empty(struct effects *events);
/*
 * The task at hand goes on after it waited for the bag.  oneTBB lets its waiters do so before a
 * task's code returns to the shim: those tasks are over.
 */
int end_early(struct effects *events, const struct scope *bag);

/* begins.c: a strand begins. */
int on_root(struct effects *events);
int on_begin(struct effects *events);
int on_start(struct effects *events);
int on_member(struct effects *events);
int on_resume(struct effects *events);

/* details.c: more is said of the event before, or of a task. */
int on_depend(struct effects *events);
int on_handle(struct effects *events);
int on_follows(struct effects *events);
int on_group(struct effects *events);
int on_object(struct effects *events);
int on_message(struct effects *events);
int on_nowait(struct effects *events);
int on_name(struct effects *events);
int on_bag(struct effects *events);
int on_path(struct effects *events);
int on_discard(struct effects *events);
int on_discard_named(struct effects *events);
void on_signal_by(struct effects *events);
/* Which task the one at hand created last, or TASK_NONE. */
task_id created_last(const struct state *state);

/* operations.c: data of that task, and what devices did for the one at hand. */
void on_data(struct effects *events);
void on_operation(struct effects *events);

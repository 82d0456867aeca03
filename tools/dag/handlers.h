/* SPDX-License-Identifier: MIT */
/* handlers.h - a function for each kind of event.  All give 0, or -errno and the state's err. */
#pragma once

#include "tools/dag/effects.h"

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

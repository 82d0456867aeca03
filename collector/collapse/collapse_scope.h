/* SPDX-License-Identifier: MIT */
/*
 * collapse_scope.h - scopes: the children of a task that one wait is for.
 *
 * A task that spawns, calls a function that spawns and waits, and waits itself has bags or
 * taskgroups inside one another, as calls are.  Only the innermost one's children may begin.
 */
#pragma once

#include "collector/collapse/collapse_state.h"

/* The task created last is in the bag.  If others are in another bag, their wait comes later. */
void scope_put(struct collapse *c, uint64_t bag);

/* Whether there is no task in the bag that the innermost task, or one on this worker, put there. */
bool scope_is_empty(const struct collapse *c, const struct open_task *task, uint64_t bag);

/* The innermost task opens a taskgroup. */
void scope_begin_group(struct collapse *c);

/* All children of the scope at hand are joined: back to the one that was left for it, if any. */
void scope_join(struct collapse *c, struct open_task *task);

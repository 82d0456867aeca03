/* SPDX-License-Identifier: MIT */
/*
 * collapse_scope.h - scopes: the children of a task that one wait is for, and joins.
 *
 * A task that spawns, calls a function that spawns and waits, and waits itself has bags or
 * taskgroups inside one another, as calls are.  Only the innermost one's children may begin.
 */
#pragma once

#include "collector/collapse/collapse_state.h"

/* The task created last is in the bag.  If others are in another bag, their wait comes later. */
void scope_put(struct collapse *c, uint64_t bag);

/* The innermost task opens a taskgroup. */
void scope_begin_group(struct collapse *c);

/*
 * The innermost task's next strand begins, after a wait or a creation.  *edge is by what it was
 * released.  Both return false if that is not plain.
 */
bool join_awaited(struct collapse *c, struct open_task *task, enum next_edge *edge);
bool join_created(struct collapse *c, struct open_task *task, enum next_edge *edge);

/* SPDX-License-Identifier: MIT */
/*
 * collapse_join.h - the innermost task's next strand begins, after a wait or a creation.
 *
 * *edge is by what it was released.  Both return false if that is not plain.
 */
#pragma once

#include "collector/collapse/collapse_state.h"

bool join_awaited(struct collapse *c, struct open_task *task, enum next_edge *edge);
bool join_created(struct collapse *c, struct open_task *task, enum next_edge *edge);

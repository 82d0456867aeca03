/* SPDX-License-Identifier: MIT */
/*
 * tbb_keep.h - messages that wait in a node, or with who made them, until somebody takes them.
 *
 * A buffer_node, queue_node or sequencer_node does all that is asked of it on one thread at a time,
 * maybe for others, by virtual functions of its own: to put a message into its array, to hand on
 * messages, to give one away.  In a copy of its vtable these are ours, and note each message's name
 * by its place in the array.
 *
 * A receiver that refuses a message asks for it later: who has the message registers with it.  From
 * then on the sender's vtable, too, is a copy.
 *
 * So a thread has, in `flow_here`, the names of messages that it took and has not handed on yet.  A
 * task that is created then depends on them.
 */
#pragma once

#include "shims/tbb/nodes/tbb_point.h"

void keep_enter(struct keep_visit *visit) CALL_HIDDEN;
void keep_leave(struct keep_visit *visit) CALL_HIDDEN;

/* Of the message that `flow_here.keeper` hands on now; 0: it is not known. */
uint64_t keep_next(void) CALL_HIDDEN;

void names_add(struct flow_names *names, uint64_t name) CALL_HIDDEN;

/* The node is a keeper if it is one of those, and lies in memory as they do.  With the lock held.
 */
void keep_adopt(struct flow_point *point, uintptr_t node) CALL_HIDDEN;

bool keep_is_keeper(const struct flow_point *node) CALL_HIDDEN; /* NULL is none */

/* Words of a limiter_node. */
#define KEEP_LIMIT 6u  /* how many may pass */
#define KEEP_PASSED 7u /* how many did that nobody has let go */

/* The message to the port of the receiver's limiter that lets it pass another one now; 0. */
uint64_t keep_let_go(const struct flow_point *receiver) CALL_HIDDEN;

/* SPDX-License-Identifier: MIT */
/*
 * tbb_flow.h - messages between the nodes of a flow graph: who lets a node's task run.
 *
 * oneTBB's headers count a node's messages in inlined code and call libtbb for the last one only.
 * But a node hands each message to a successor by a virtual call of its receiver, which lies in the
 * successor's object:
 *
 *	node -> successor_cache -> std::list<receiver *> -> try_put_task(message)
 *
 * When a node's task is created, the receivers behind that node get a copy of their vtable, in
 * which try_put_task() is our own: long before the node's code is over, and then puts.  What a
 * receiver does with messages is its rule.  A message is named by the receiver's point and by its
 * number there; who puts it signals that name, and the task that takes it depends on it.
 *
 * How the objects lie in memory depends on the headers' version.  Each thing is found by the types
 * that objects say they have, and each layout is held against a pointer that must be there (the
 * node's graph, the cache's owner).  Where one fails, or without RTTI, messages are not seen, and
 * only the task that puts the last one is known, as the creator.
 */
#pragma once

#include "shims/tbb/nodes/tbb_body.h"

struct flow_receiver { /* tbb::detail::d1::receiver<T> */
	const uintptr_t *vtable;
};
typedef struct tbb_task *(*flow_put_fn)(struct flow_receiver *receiver, const void *message);

/* The message was taken, and no task is to be run: SUCCESSFULLY_ENQUEUED. */
#define FLOW_TAKEN UINTPTR_MAX

struct flow_point;

/* A message that a task may wait for; point is NULL if the receiver's task is the putter's. */
struct flow_message {
	struct flow_point *point;
	uint64_t number; /* of the point's, from 0 */
};

/* Our function, for all receivers; from any thread. */
void flow_wrap(flow_put_fn put) CALL_HIDDEN;

/* The node's task is handed over with this context: learns where its graph has that. */
void flow_learn(const struct tbb_task *task, const void *context) CALL_HIDDEN;
/* The context of the task's graph; NULL before one was learned. */
const void *flow_context(const struct tbb_task *task) CALL_HIDDEN;

/* Whether the task, of a graph, is for the graph's own queue. */
static inline bool flow_has_priority(const struct tbb_task *task)
{
	return ((const uint32_t *)task)[2 * BODY_TASK_PRIORITY] != 0;
}

/* In our try_put_task(): the message that is put now; then, as the receiver's node may put in turn,
 * its successors are prepared; the program's function. */
struct flow_message flow_put_begin(const struct flow_receiver *receiver) CALL_HIDDEN;
void flow_put_prepare(const struct flow_receiver *receiver) CALL_HIDDEN;
flow_put_fn flow_put_real(const struct flow_receiver *receiver) CALL_HIDDEN;
/* The receiver did not take it: it will ask for messages itself from now on. */
void flow_put_refused(const struct flow_message *message) CALL_HIDDEN;
/* Whether the message's way ends here: it waits, or waited, where no edge leads on from. */
bool flow_put_unlinked(const struct flow_receiver *receiver,
		       const struct tbb_task *next) CALL_HIDDEN;
uint64_t flow_name(const struct flow_message *message) CALL_HIDDEN;

/*
 * The task of `node` was created just now on this worker, by the one that puts `own`: records which
 * messages it depends on, and prepares the node's successors.
 */
void flow_created(struct worker *worker, uintptr_t node,
		  const struct flow_message *own) CALL_HIDDEN;

/* In a forked child. */
void flow_forget(void) CALL_HIDDEN;

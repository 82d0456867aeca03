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

#define FLOW_TAKES 10u /* ports of a join in C++11 */

/* Of messages that a thread took and has not put yet. */
struct flow_names {
	uint32_t n;
	uint64_t name[FLOW_TAKES];
};

struct flow_here {
	struct flow_point *keeper; /* the node that hands on its messages; NULL */
	struct flow_names names;
	struct flow_message own; /* that is put, by this thread */
};
extern __thread struct flow_here flow_here CALL_HIDDEN __attribute__((tls_model("initial-exec")));
/* That a node got without reserving them, and whose tasks come next; 0: not known. */
extern __thread struct flow_names flow_got CALL_HIDDEN __attribute__((tls_model("initial-exec")));

/* Who puts a message to a keeper, or gets one from it: for who does that on its behalf. */
struct keep_visit {
	const void *message; /* where it is, or is to be; NULL: none is visited */
	uint64_t name;
	struct keep_visit *next;
};

/* A call of try_put_task(). */
struct flow_put {
	struct flow_here before;
	struct flow_message own;   /* to be signalled; point is NULL: nothing */
	struct flow_names awaited; /* the running task waits for these first */
	struct keep_visit visit;
	bool fires; /* a task that it returns is created there */
};

/* Any of the functions in whose place ours are: three arguments at most. */
typedef uintptr_t (*flow_any_fn)(void *object, void *first, void *second);

/* Our functions, for all receivers: */
struct flow_ours {
	flow_put_fn put;	/* try_put_task() */
	flow_any_fn asked;	/* register_predecessor(): it will ask that sender for messages */
	flow_any_fn execute;	/* of one that counts: it has all that it waits for */
	void (*unlinked)(void); /* not for receivers: an edge will be missing */
};
void flow_wrap(const struct flow_ours *ours) CALL_HIDDEN;

/* The node's task is handed over with this context: learns where its graph has that. */
void flow_learn(const struct tbb_task *task, const void *context) CALL_HIDDEN;
/* The context of the task's graph; NULL before one was learned. */
const void *flow_context(const struct tbb_task *task) CALL_HIDDEN;

/* Whether the task, of a graph, is for the graph's own queue. */
static inline bool flow_has_priority(const struct tbb_task *task)
{
	return ((const uint32_t *)task)[2 * BODY_TASK_PRIORITY] != 0;
}

/* In our functions: the program's. */
flow_any_fn flow_real(const void *object, int word) CALL_HIDDEN;
#define FLOW_PUT 2	/* try_put_task(): a word of the vtable, behind the two destructors; .. */
#define FLOW_REGISTER 6 /* .. register_predecessor(); .. */
#define FLOW_EXECUTE 9	/* .. execute() */

/* In our try_put_task(): begun; the node behind the receiver may put in turn: its successors are
 * prepared; in the end. */
void flow_put_begin(struct flow_put *put, const struct flow_receiver *receiver,
		    const void *message) CALL_HIDDEN;
void flow_put_prepare(const struct flow_receiver *receiver) CALL_HIDDEN;
void flow_put_end(struct flow_put *put) CALL_HIDDEN;
/* The receiver did not take it: it will ask for messages itself from now on. */
void flow_put_refused(const struct flow_message *message) CALL_HIDDEN;
/* Whether the message's way ends here: it waits, or waited, where no edge leads on from. */
bool flow_put_unlinked(const struct flow_receiver *receiver,
		       const struct tbb_task *next) CALL_HIDDEN;
uint64_t flow_name(const struct flow_message *message) CALL_HIDDEN;
/* The running task waits for what the put is to wait for, and ends a strand there; site 0: not. */
void flow_await(struct worker *worker, uint32_t site, const struct flow_put *put) CALL_HIDDEN;

/*
 * In our register_predecessor(): what the receiver takes from that sender is seen from now on.  The
 * name of the message that the running task has just made, if the sender keeps that, and it is to
 * be signalled; 0.
 */
uint64_t flow_asked(const struct flow_receiver *receiver, uintptr_t sender) CALL_HIDDEN;

/* In our execute(): the running task waits for all messages of the receiver, but for its own. */
void flow_run(struct worker *worker, uint32_t site,
	      const struct flow_receiver *receiver) CALL_HIDDEN;

/*
 * The task of `node` was created just now on this worker, by the one that puts `own`: records which
 * messages it depends on, and prepares the node's successors.
 */
void flow_created(struct worker *worker, uintptr_t node,
		  const struct flow_message *own) CALL_HIDDEN;

/* In a forked child. */
void flow_forget(void) CALL_HIDDEN;

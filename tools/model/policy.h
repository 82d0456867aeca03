/* SPDX-License-Identifier: MIT */
/*
 * policy.h - how a runtime decides which ready task runs where.
 *
 * A policy is a row of a table: what is different between runtimes is said in its fields, and the
 * engine knows no runtime by name.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where ready tasks are. */
enum policy_queue {
	QUEUE_CENTRAL,	/* one queue, the oldest first */
	QUEUE_CRITICAL, /* one queue, the one with the longest way to the end first */
	QUEUE_DEQUES,	/* one a worker: the owner takes its newest, thieves the oldest */
};

/* What a worker may take up while its task waits for others. */
enum policy_bar {
	BAR_NOTHING,  /* anything */
	BAR_CHILDREN, /* children of the task, the newest first; anything at a barrier [libgomp] */
	BAR_DESCENDANTS, /* tasks below it; anything at a barrier [OpenMP: task scheduling
			    constraint] */
};

enum policy_victim { VICTIM_RANDOM, VICTIM_NEAREST, VICTIM_LAST };

struct policy {
	const char *name;
	enum policy_queue queue;
	enum policy_bar bar;
	enum policy_victim victim;
	bool child_first; /* the worker goes on with the child; what is left of the parent is stolen
			   */
	bool tied;	  /* a task goes on where it waited, on top of that worker's stack */
	bool apart;	  /* the program's main task has a worker to itself: worker 0 [StarPU] */
	bool in_turn; /* QUEUE_DEQUES: each worker hands the tasks that it creates to all workers in
			 turn; nobody steals, and the oldest comes first [Qthreads: nemesis] */
	bool main_stays;   /* the program's main task goes on where it waited [Qthreads, StarPU] */
	bool held;	   /* children may begin only once their parent waits or ends */
	uint32_t throttle; /* tasks a worker, of all together: then a creation runs its child; 0:
			      none */
	uint32_t room;	   /* tasks in a worker's own queue: likewise; 0: any number */
};

extern const struct policy policies[]; /* the last has no name */

const struct policy *policy_find(const char *name); /* NULL if there is none */

/* That of a runtime, by its name in traces, and by what it did in this one where it has several;
 * the greedy one if it is not known. */
struct dag;
const struct policy *policy_of_run(const char *runtime, const struct dag *dag);

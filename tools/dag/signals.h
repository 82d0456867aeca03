/* SPDX-License-Identifier: MIT */
/*
 * signals.h - who signalled what object, and the handles of detached tasks.
 *
 * An object's signals are a chain through dag->object[], the latest first: who waits for a counter
 * waits for all of those since it began to, not for the last alone.
 *
 * A task with a handle is complete once its code is over and the handle was signalled; that may
 * be before the task begins.
 */
#pragma once

#include "tools/dag/state.h"

struct signal {
	strand_id strand; /* that ended with it */
	uint32_t note;	  /* of it in dag->object[], + 1; 0: that has too many */
	uint64_t ns;	  /* on the reader's clock */
	bool claimed;	  /* by a HANDLE */
};

struct signals {
	struct state *state;
	struct signal *signal;
	uint64_t n, room;
	struct map by_object; /* object -> signal + 1 */
	struct map handle;	/* object -> task + 1 that is complete by it; 0: it was signalled */
};

void signal_open(struct signals *signals, struct state *state);
void signal_free(struct signals *signals);

/* The object's latest signal; NULL if it had none. */
const struct signal *signal_last(const struct signals *signals, uint64_t object);
/* The edge from a signal, if there is one and another task gave it. */
int signal_edge(struct signals *signals, const struct signal *signal, task_id waiter);

/* The place of the object's latest signal in its chain. */
uint32_t signal_place(const struct signals *signals, uint64_t object);
/* The edges from all signals after that place; from the latest, if it is that. */
int signal_edges(struct signals *signals, uint64_t object, uint32_t since, task_id waiter);

/* The strand signals the object now, which is the last note (notes.h).  *task is the one whose
 * handle that is; TASK_NONE. */
void signal_give(struct signals *signals, uint64_t object, strand_id strand, task_id *task);
/* The object is the task's handle. */
void signal_expect(struct signals *signals, uint64_t object, task_id task);

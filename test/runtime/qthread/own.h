/* SPDX-License-Identifier: MIT */
/*
 * own.h - what the parts of the stand-in for Qthreads share.
 *
 * It calls its own public functions as the real library does: through symbols that another
 * library may have defined before.
 */
#pragma once

#include "test/runtime/qthread/qthread/qthread.h"
#include "test/runtime/qthread/qthread/sinc.h"
#include "test/runtime/ult.h"

/* Tasks that were created together with their leader, or by one of them. */
struct team {
	qt_sinc_t sinc; /* of its tasks */
	qt_sinc_t *of_parent;
	unsigned id;
};

struct task {
	qthread_f fn;
	void *arg;
	void *ret;
	unsigned flags;
	uint32_t shepherd; /* NO_SHEPHERD for any */
	struct team *team;
	bool leads;
	struct ult *ult;
	aligned_t **preconds; /* n, and n words */
	size_t n_full;	      /* how many of them were seen full */
	aligned_t copied[];   /* of the argument */
};

/* The task that runs; NULL on a thread that is no worker. */
struct task *task_self(void);

/* Makes a task ready, or has it wait for the next of its words that is not full. */
void task_ready(struct task *task);

/* words.c: true if the word is full; else the task is made ready again once it is. */
bool word_await(const aligned_t *word, struct task *task);

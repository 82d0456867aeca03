/* SPDX-License-Identifier: MIT */
/*
 * marks_shadow.h - what the probe `marks` knows of each task and object, by all marks so far.
 *
 * All of it with the lock of marks_check.c.  Memory is the system's, grows, and is never given
 * back: some 80 bytes a task.  Without memory a task is not known, and its marks are not checked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tptrace_here;

enum task_state { TASK_NONE, TASK_READY, TASK_RUNS, TASK_LEFT, TASK_ENDED, TASK_DISCARDED };

struct shadow_task {
	const void *created, *last; /* the marks: its creation, and what made its state */
	const void *began;
	const struct tptrace_here *here; /* where it left its code */
	uint64_t object;		 /* that it waits for */
	uint64_t group;
	uint32_t creator, n_open; /* children that have not ended */
	uint32_t need;		  /* the last one of a list, or 0 */
	uint32_t before;	  /* tasks that were created before it waited */
	uint32_t thread;	  /* that it runs on */
	uint8_t state, wait;
	bool is_implicit; /* a thread that made a mark in no task */
};

/* What comes before a task. */
struct shadow_need {
	uint64_t object; /* or a task */
	uint32_t next;
	bool is_task;
};

struct shadow_object {
	uint64_t key;	 /* 0: free */
	uint32_t n_open; /* tasks of that group */
	bool is_released;
};

/* A new one's number, from 1; 0 without memory. */
uint32_t shadow_add(void);
uint32_t shadow_tasks(void);			  /* the last number */
struct shadow_task *shadow_task(uint64_t number); /* NULL: there is none of it */

/* NULL: without memory. */
struct shadow_object *shadow_object(uint64_t key);

void shadow_need(struct shadow_task *task, uint64_t object, bool is_task);
const struct shadow_need *shadow_need_of(uint32_t number); /* NULL for 0 */

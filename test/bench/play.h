/* SPDX-License-Identifier: MIT */
/*
 * play.h - four workers that play at running tasks, in order of time, and what would be recorded.
 *
 * Only tasks that are alive are kept, so that a run may be of any length.  It is the same each
 * time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "test/bench/writer.h"

#define PLAY_WORKERS 4u
#define PLAY_SITE_TASK 1u
#define PLAY_SITE_WAIT 2u

enum play_shape {
	FORK_JOIN,     /* recursion; a worker runs the child and leaves the parent to be stolen */
	FLAT_LOOP,     /* one parent makes all tasks, and then waits for them */
	BREADTH_FIRST, /* recursion; one queue for all workers, oldest first */
	PLAY_SHAPES
};

struct play_task {
	uint32_t parent; /* or the next free one */
	uint32_t n;	 /* its id is worker << 48 | n */
	uint32_t left;	 /* tasks to be made below it */
	uint32_t n_open; /* children that have not ended */
	uint8_t worker;
	bool begun, made, waited; /* made: its first child */
};

struct play_deque { /* of tasks that can run */
	uint32_t *task;
	uint64_t head, tail, room; /* room is a power of two */
};

struct play_worker {
	uint64_t n_ids;
	uint64_t at_ns; /* when it does something next */
	uint32_t task;	/* which it runs, or is about to; or it looks for one */
	bool running;
	struct play_deque deque; /* but for FORK_JOIN, that of worker 0 is everybody's */
};

struct play {
	enum play_shape shape;
	struct writer *out;
	struct play_worker worker[PLAY_WORKERS];
	struct play_task *task;
	uint32_t n_tasks, task_room, free_task;
	uint64_t random;
};

/* Plays n_tasks tasks, the first one included; shape and out are set, the rest is zero. */
void play_run(struct play *play, uint32_t n_tasks);

/* SPDX-License-Identifier: MIT */
/*
 * checkpoint.h - how far a worker's stream is taken and written.
 *
 * For stream.c; each function belongs to the thread that has the worker (drain_thread.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/chunk.h"

struct drain;

/* The checkpoint of the worker's part of the trace: what its blocks have. */
struct checkpoint *checkpoint_written(const struct drain *drain, struct worker *worker);

/* Events that lie behind each other, as they are passed. */
struct passed {
	struct slice slice; /* n_ids: given out by their end, once they are used */
	uint64_t number;    /* behind them */
	bool any_lost;	    /* some may say that events are lost */
	uint32_t shift;
};

/* Moves on behind these events, which made so many tasks. */
void checkpoint_pass(struct checkpoint *at, const struct passed *events, uint64_t n_tasks);

/* Publish `reached` in the worker's memory: a successor finds it there, or what it was before,
 * whenever this collector is killed. */
void checkpoint_publish(struct worker *worker, const struct checkpoint *reached);

/* The checkpoint that was published for that number, or NULL. */
const struct checkpoint *checkpoint_find(struct worker *worker, const struct chunk_sizes *sizes,
					 uint64_t number);

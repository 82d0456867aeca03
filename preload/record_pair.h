/* SPDX-License-Identifier: MIT */
/*
 * record_pair.h - the hot path: what a runtime's call says in two or three events, which are stored
 * and handed over as one.
 */
#pragma once

#include "preload/record.h"

RECORD_ELSE record_wait_for_else(struct worker *worker, uint32_t site, enum wire_wait wait,
				 uint64_t name)
{
	record_wait(worker, site, wait);
	record_detail(worker, WIRE_OBJECT, name);
}

/* Hot path: after record_enter() for two: the running task waits for what has a name. */
static inline void record_wait_for_in(struct worker *worker, uint64_t head, uint32_t site,
				      enum wire_wait wait, uint64_t name)
{
	worker_fill(worker, head, event_of_counter(WIRE_WAIT), site_make(site, wait));
	worker_fill(worker, head + 1, WIRE_OBJECT, name);
	worker_commit_to(worker, head + 2);
	worker_turn(worker, WORKER_OUTSIDE);
}

/* Hot path: the running task waits for what has a name. */
static inline void record_wait_for(struct worker *worker, uint32_t site, enum wire_wait wait,
				   uint64_t name)
{
	uint64_t head;

	if (__builtin_expect(!worker->task, 0) || !record_enter(worker, WORKER_OUTSIDE, &head, 2)) {
		record_wait_for_else(worker, site, wait, name);
		return;
	}
	record_wait_for_in(worker, head, site, wait, name);
}

RECORD_ELSE record_resume_named_else(struct worker *worker, record_id task, uint64_t name)
{
	record_resume(worker, task);
	record_detail(worker, WIRE_NAME, name);
}

/* Hot path: record_resume(), and the name of the task that was created before. */
static inline void record_resume_named(struct worker *worker, record_id task, uint64_t name)
{
	uint64_t head;

	if (!record_enter(worker, WORKER_OUTSIDE, &head, 2)) {
		record_resume_named_else(worker, task, name);
		return;
	}
	worker->task = task;
	worker_fill(worker, head + 1, WIRE_NAME, name);
	worker_fill(worker, head, event_of_counter(WIRE_RESUME), task);
	worker_commit_to(worker, head + 2);
	worker_turn(worker, WORKER_INSIDE);
}

RECORD_ELSE record_create_named_else(struct worker *worker, uint64_t ticks, uint32_t site,
				     uint64_t name, uint64_t bag)
{
	record_event_at(worker, ticks, WIRE_CREATE, site);
	record_next_id(worker);
	record_detail(worker, WIRE_NAME, name);
	record_detail(worker, WIRE_BAG, bag);
}

/* Hot path: the running task, whose strand ended at `ticks`, creates one with a name that is waited
 * for by its bag. */
static inline void record_create_named_at(struct worker *worker, uint64_t ticks, uint32_t site,
					  uint64_t name, uint64_t bag)
{
	uint64_t head;

	if (!record_enter(worker, WORKER_OUTSIDE, &head, 3)) {
		record_create_named_else(worker, ticks, site, name, bag);
		return;
	}
	worker_fill(worker, head, event_at(ticks, WIRE_CREATE), site);
	worker_fill(worker, head + 1, WIRE_NAME, name);
	worker_fill(worker, head + 2, WIRE_BAG, bag);
	worker_commit_to(worker, head + 3);
	record_next_id(worker);
	worker_turn(worker, WORKER_OUTSIDE);
}

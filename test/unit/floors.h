/* SPDX-License-Identifier: MIT */
/*
 * floors.h - the floors of a dag in the making, for tests that call them one by one.
 *
 * There are WORKERS workers, no events, and one root task, whose strand runs on worker 0 from 0 on.
 */
#pragma once

#include "test/lib/test.h"
#include "test/unit/trace.h"
#include "tools/dag/gap.h"

#define WORKERS 4
#define ROOT 0u /* the root task, and its first strand */

struct floors {
	struct reader *reader;
	struct err err;
	struct dag dag;
	struct event event;
	uint64_t n_steps;
	struct state state;
	struct depend depend;
	struct kinds kinds;
	struct join join;
	struct gaps gaps;
};

/* Makes a strand of the task on that worker, not ended yet, and its newest. */
static inline strand_id floors_strand(struct floors *f, task_id task, uint32_t worker, uint64_t ns)
{
	struct strand *strand = state_strand(&f->state, f->state.task_last[task], 0);

	assert_non_null(strand);
	strand->start_low = (uint32_t)ns;
	strand->start_high = 0;
	strand->worker = (uint16_t)worker;
	strand->task = task;
	f->state.task_last[task] = f->state.newest;
	f->state.lane[worker].open = f->state.newest;
	f->state.lane[worker].task = task;
	f->state.ns = ns;
	return f->state.newest;
}

static inline void floors_stop(struct floors *f, task_id task, uint64_t ns)
{
	strand_id s = f->state.task_last[task];

	state_set_end(&f->state, s, ns);
	f->state.lane[f->dag.strand[s].worker].open = STRAND_NONE;
	f->state.ns = ns;
}

/* The root's strand, and what else the flags say, makes a task in that scope. */
static inline task_id floors_create(struct floors *f, uint32_t scope, uint8_t flags)
{
	task_id task = TASK_NONE;

	state_task(&f->state, KIND_OF_ROOTS, f->state.task_last[ROOT], scope, flags, &task);
	state_live(&f->state, ROOT)->n_open++;
	return task;
}

/* It begins; as a member of that team, or NONE. */
static inline struct live *floors_begin(struct floors *f, task_id task, uint32_t worker,
					uint64_t ns, uint32_t team)
{
	join_begin(&f->join, task, team);
	floors_strand(f, task, worker, ns);
	f->dag.task_state[task] |= TASK_BEGUN;
	return state_live(&f->state, task);
}

static inline void floors_end(struct floors *f, task_id task, uint64_t ns)
{
	floors_stop(f, task, ns);
	join_end(&f->join, task);
}

/* Runs a new child of the root's from `ns` to `end_ns` on worker 1. */
static inline task_id floors_child(struct floors *f, uint8_t flags, uint64_t ns, uint64_t end_ns)
{
	task_id task = floors_create(f, 0, flags);

	floors_begin(f, task, 1, ns, NONE);
	floors_end(f, task, end_ns);
	return task;
}

/* How many edges lead into the newest strand, and whether that is one of them. */
static inline uint32_t floors_edges(const struct floors *f)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < f->dag.n_extras; e++)
		n += f->dag.extra[e].to == f->state.newest;
	return n;
}

static inline bool floors_edge(const struct floors *f, strand_id from)
{
	for (uint32_t e = 0; e < f->dag.n_extras; e++)
		if (f->dag.extra[e].to == f->state.newest && f->dag.extra[e].from == from)
			return true;
	return false;
}

static inline void floors_open(struct floors *f, const char *definitions)
{
	char text[400];
	task_id root = TASK_NONE;

	*f = (struct floors){ 0 };
	snprintf(text, sizeof(text), "tptrace text 2\n%s0 w%u root %u.1\n", definitions,
		 WORKERS - 1, WORKERS - 1);
	assert_int_equal(trace_open(&f->reader, text, strlen(text), &f->err), 0);
	state_open(&f->state, &f->dag, f->reader, NULL, &f->n_steps, &f->err);
	f->state.event = &f->event;
	depend_open(&f->depend, &f->state);
	kind_open(&f->kinds, &f->state);
	join_open(&f->join, &f->state, &f->depend);
	gap_open(&f->gaps, &f->state, &f->kinds, &f->join);
	state_task(&f->state, KIND_OF_ROOTS, STRAND_NONE, 0, 0, &root);
	floors_begin(f, root, 0, 0, NONE);
}

static inline void floors_close(struct floors *f)
{
	gap_free(&f->gaps);
	join_free(&f->join);
	kind_free(&f->kinds);
	depend_free(&f->depend);
	state_free(&f->state);
	dag_free(&f->dag);
	reader_close(f->reader);
}

/* For tests that share one. */
static struct floors f;

static inline int floors_setup(void **state)
{
	(void)state;
	floors_open(&f, "");
	return 0;
}

static inline int floors_teardown(void **state)
{
	(void)state;
	floors_close(&f);
	return 0;
}

#define FLOORS_TEST(test) TEST_WITH(test, floors_setup, floors_teardown)

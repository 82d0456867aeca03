/* SPDX-License-Identifier: MIT */
/*
 * cilk_loop.c - _Cilk_for.
 *
 * The runtime halves a loop's range by spawns of its own, until a piece is no larger than the
 * grain, and calls the program's function for each piece: these calls are the loop's tasks.
 * They may go from thread to thread, if they spawn, and so may the function with the loop.
 */
#include "shims/cilk/cilk.h"

#include "preload/poison.h"

/* On the stack of the function that has the loop, which stays until the loop is done. */
struct loop {
	cilk_body_32 body_32;
	cilk_body_64 body_64;
	void *data;
	record_id group;
	record_id task; /* that has the loop */
	struct cilk *cilk;
};

/* Hot path: a piece of the loop begins. */
static inline void piece_begin(struct loop *loop)
{
	struct worker *worker = record_worker();

	if (worker)
		record_member(worker, loop->group);
}

/* Hot path: also called when an exception leaves the piece. */
static void piece_end(struct loop **loop)
{
	struct worker *worker = worker_self();

	if (worker)
		record_end(worker, 0);
}

static void loop_begin(struct loop *loop, struct worker *worker, const struct callsite *callsite,
		       void *data)
{
	loop->data = data;
	loop->cilk = cilk_of(callsite);
	loop->group = record_fork(worker, callsite->site, WIRE_FORK_LOOP);
	loop->task = worker->task;
	worker->task = 0;
}

static void loop_end(struct loop *loop)
{
	struct worker *worker = record_worker();

	cilk_tell_workers(loop->cilk);
	if (worker)
		stay_resume_from(worker, NULL, loop->task);
}

#define LOOP(result, name, parameters, bits)                                                       \
	static void run_piece_##bits(void *data, uint##bits##_t low, uint##bits##_t high)          \
	{                                                                                          \
		struct loop *loop = data;                                                          \
                                                                                                   \
		piece_begin(loop);                                                                 \
		struct loop *guard __attribute__((cleanup(piece_end), unused)) = loop;             \
		loop->body_##bits(loop->data, low, high);                                          \
	}                                                                                          \
                                                                                                   \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(cilk, name, body);                            \
		struct worker *worker = callsite_worker(callsite);                                 \
                                                                                                   \
		if (!worker) {                                                                     \
			cilk_of(callsite)->name(body, data, count, grain);                         \
			return;                                                                    \
		}                                                                                  \
		struct loop loop __attribute__((cleanup(loop_end))) = { .body_##bits = body };     \
                                                                                                   \
		loop_begin(&loop, worker, callsite, data);                                         \
		cilk_of(callsite)->name(run_piece_##bits, &loop, count, grain);                    \
	}

CILK_LOOPS(CALL_MADE)

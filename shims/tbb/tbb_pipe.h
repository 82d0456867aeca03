/* SPDX-License-Identifier: MIT */
/*
 * tbb_pipe.h - tokens of a pipeline: which filter lets which token go on.
 *
 * libtbb runs each filter of each token as a task that the token's last one, or another token's,
 * hands over; it counts tokens, and queues them at serial filters, in its own memory.  What a token
 * waits for besides the task's creator is known by what the filters do: their operator() is called
 * by a virtual function, which is ours in copies of their vtables.  It signals a name at the end of
 * each filter's code, and the tasks behind depend on these:
 *
 *	at a filter	its own token's filter before
 *	at a serial one	and the token before it at this filter
 *	at the first	and, as k tokens may be in the pipeline at once, the end of one: the oldest
 *			end that let no other token begin
 *
 * A token that waits at a serial filter is found again by what it carries.  All of this is in the
 * frame of who called parallel_pipeline(), which outlives the filters.
 */
#pragma once

#include "shims/tbb/nodes/tbb_body.h"
#include "shims/tbb/tbb.h"

struct pipe_name {
	struct pipe_name *next;
	uintptr_t item;
	uint64_t name;
};

/* Oldest first. */
struct pipe_names {
	_Atomic uint32_t lock;
	struct pipe_name *first, **end;
};

struct tbb_filter { /* tbb::detail::d1::base_filter */
	const uintptr_t *vtable;
	struct tbb_filter *next;
	void *buffer;
	uint32_t mode;
	void *pipeline;
};

/* One of a pipeline, and its copy of its vtable. */
struct pipe_filter {
	struct pipe *pipe;
	struct pipe_filter *next;
	const uintptr_t *original;
	bool is_serial;
	_Atomic uint64_t last;	 /* name of the code that ran here last */
	struct pipe_names names; /* of tokens before this filter; the first one's: that ended */
	uintptr_t before[2], word[4];
};

struct pipe {
	size_t tokens; /* that may still begin without waiting for an end */
	uint32_t n;
	struct pipe_filter *filter;
};

/* How many filters parallel_pipeline() makes of this. */
uint32_t pipe_count(const void *filters) CALL_HIDDEN;

/* Around a call of it on this thread; `filter` has room for pipe->n. */
void pipe_open(struct pipe *pipe, struct pipe_filter *filter, size_t tokens) CALL_HIDDEN;
void pipe_close(struct pipe *pipe) CALL_HIDDEN;

/* How a task of a pipeline came to be: the first one, whose filters are there now; for the token of
 * the running task; by that for another token. */
enum pipe_creation { PIPE_FIRST, PIPE_GOES_ON, PIPE_WOKEN };

/* It was created just now on this worker. */
void pipe_created(struct worker *worker, const struct tbb_task *task, body_path path,
		  enum pipe_creation creation) CALL_HIDDEN;

/* The body as the program made it: without our copy of its vtable. */
uintptr_t pipe_body(uintptr_t body) CALL_HIDDEN;

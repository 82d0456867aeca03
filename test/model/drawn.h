/* SPDX-License-Identifier: MIT */
/*
 * drawn.h - random task programs as the text of a trace: what one worker ran, each wait with its
 * children on top.
 *
 * Tasks create tasks, some of them to be run at once, with dependences between siblings; they wait
 * for their children, or do not; and they enter locks, in an order that cannot deadlock.  Nothing
 * is created and nobody waits inside of a lock.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "test/unit/random.h"

#define DRAWN_TASKS 400u
#define DRAWN_LOCKS 3u

struct drawn {
	struct random random;
	char text[1u << 17];
	size_t n;
	uint64_t now;
	unsigned n_tasks, most_tasks, depth, most_ns, most_gap_ns;
	unsigned parent[DRAWN_TASKS + 2]; /* by task; 0: it has begun */
	bool locks, depends;
};

#define drawn_put(drawn, ...)                                                                      \
	((drawn)->n += (size_t)snprintf((drawn)->text + (drawn)->n,                                \
					sizeof((drawn)->text) - (drawn)->n, __VA_ARGS__))

static inline unsigned drawn_below(struct drawn *drawn, unsigned n)
{
	return (unsigned)random_below(&drawn->random, n);
}

static inline void drawn_gap(struct drawn *drawn)
{
	drawn->now += drawn_below(drawn, drawn->most_gap_ns + 1);
}

static inline void drawn_resume(struct drawn *drawn, unsigned task)
{
	drawn_gap(drawn);
	drawn_put(drawn, "%llu w0 resume 0.%u\n", (unsigned long long)drawn->now, task);
}

static inline void drawn_work(struct drawn *drawn)
{
	unsigned most = drawn_below(drawn, 8) ? drawn->most_ns : 20 * drawn->most_ns;

	drawn->now += drawn_below(drawn, most + 1);
}

static inline void drawn_lock(struct drawn *drawn, unsigned task, unsigned from)
{
	unsigned lock = from + drawn_below(drawn, DRAWN_LOCKS - from);

	drawn_put(drawn, "%llu w0 wait object site=5\n- w0 object 0x7f0%u\n",
		  (unsigned long long)drawn->now, lock);
	drawn_resume(drawn, task);
	drawn_work(drawn);
	if (lock + 1 < DRAWN_LOCKS && drawn_below(drawn, 4) == 0)
		drawn_lock(drawn, task, lock + 1);
	drawn_put(drawn, "%llu w0 signal 0x7f0%u\n", (unsigned long long)drawn->now, lock);
	drawn_resume(drawn, task);
}

static inline void drawn_task(struct drawn *drawn, unsigned task);

static inline void drawn_begin(struct drawn *drawn, unsigned task)
{
	drawn->parent[task] = 0;
	drawn_gap(drawn);
	drawn_put(drawn, "%llu w0 begin 0.%u\n", (unsigned long long)drawn->now, task);
	drawn_task(drawn, task);
	drawn_put(drawn, "%llu w0 end\n", (unsigned long long)drawn->now);
}

static inline void drawn_create(struct drawn *drawn, unsigned task)
{
	static const char *const how[] = { "in", "in", "out" };
	unsigned child = ++drawn->n_tasks;
	bool at_once = drawn_below(drawn, 8) == 0;

	drawn_put(drawn, "%llu w0 create 0.%u site=%u%s\n", (unsigned long long)drawn->now, child,
		  1 + drawn_below(drawn, 3), at_once ? " undeferred" : "");
	drawn->parent[child] = task;
	for (unsigned i = drawn->depends && !at_once ? drawn_below(drawn, 3) : 0; i > 0; i--)
		drawn_put(drawn, "- w0 depend %s 0x10%u\n", how[drawn_below(drawn, 3)], i);
	if (at_once)
		drawn_begin(drawn, child);
	drawn_resume(drawn, task);
}

/* For its children; the root at last for all that have not begun. */
static inline void drawn_wait(struct drawn *drawn, unsigned task, bool all)
{
	drawn_put(drawn, "%llu w0 wait children site=4\n", (unsigned long long)drawn->now);
	for (unsigned t = 2; t <= drawn->n_tasks; t++)
		if (drawn->parent[t] == task || (all && drawn->parent[t]))
			drawn_begin(drawn, t);
	drawn_resume(drawn, task);
}

static inline void drawn_task(struct drawn *drawn, unsigned task)
{
	unsigned n = drawn_below(drawn, task == 1 ? 24 : 9);

	drawn_work(drawn);
	drawn->depth++;
	for (unsigned i = 0; i < n; i++) {
		unsigned what = drawn_below(drawn, 10);

		if (what < 6 && drawn->n_tasks < drawn->most_tasks && drawn->depth < 8)
			drawn_create(drawn, task);
		else if (what == 6)
			drawn_wait(drawn, task, false);
		else if (what == 7 && drawn->locks)
			drawn_lock(drawn, task, 0);
		drawn_work(drawn);
	}
	drawn->depth--;
}

/* Fills text and n. */
static inline void drawn_program(struct drawn *drawn, uint64_t seed)
{
	static const unsigned most_ns[] = { 0, 1, 10, 100, 1000 };

	drawn->random = (struct random){ seed };
	drawn->n = drawn->now = drawn->depth = 0;
	drawn->n_tasks = 1;
	drawn->most_tasks = 2 + drawn_below(drawn, drawn_below(drawn, 8) ? 40 : DRAWN_TASKS - 2);
	drawn->most_ns = most_ns[drawn_below(drawn, 5)];
	drawn->most_gap_ns = drawn_below(drawn, 2) * drawn_below(drawn, 50);
	drawn->locks = drawn_below(drawn, 3) == 0;
	drawn->depends = drawn_below(drawn, 2) == 0;
	drawn_put(drawn,
		  "tptrace text 2\nclock ns\nruntime 0 name=libgomp version=x workers=%u\n"
		  "site 1 name=a\nsite 2 name=b\nsite 3 name=c\n0 w0 root 0.1\n",
		  1 + drawn_below(drawn, 4));
	drawn_create(drawn, 1);
	drawn_task(drawn, 1);
	drawn_wait(drawn, 1, true);
	drawn_put(drawn, "%llu w0 end\n", (unsigned long long)drawn->now);
	if (drawn->n + 1 >= sizeof(drawn->text))
		abort();
}

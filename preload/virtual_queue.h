/* SPDX-License-Identifier: MIT */
/*
 * virtual_queue.h - virtual time: threads wait in a queue, ordered by when what they do is over.
 *
 * Time stands still but for one rule: when every other thread waits here, or sleeps in the runtime
 * with nothing to take (settled.h), time becomes that of the first in the queue, who leaves.  So
 * only one thread at a time sets anything going, and what it sets going is seen before time passes.
 * At equal times who came first leaves first.
 *
 * Waiting is by futex, one word a thread; only the first in the queue asks whether all is settled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/session/clock.h"

/* A thread's place; zeroed at first, and of that thread alone. */
struct virtual_turn {
	uint64_t until, came; /* when it is over; the order of coming */
	uint32_t thread;      /* its id */
	uint32_t at;	      /* in the queue */
	_Atomic uint32_t moves;
};

/* While the session begins: time is `begin` ticks (ns), and nobody waits. */
void virtual_queue_open(uint64_t begin);
void virtual_queue_close(void); /* time is CLOCK_MONOTONIC again */

/* Now, in ns.  Any thread. */
uint64_t virtual_queue_now(void);

/* The calling thread, whose turn this is, does something for so long.  False: it left though not
 * all was settled. */
bool virtual_queue_pass(struct virtual_turn *turn, uint64_t ns);

/* Virtual time while there is one, else clock_ticks_by().  worker_ticks() calls it where the time
 * stamp counter alone will not do. */
uint64_t virtual_ticks_by(const struct clock *clock) EXPORT_AS(virtual_ticks_by);

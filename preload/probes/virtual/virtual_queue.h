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

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread's place; zeroed at first, and of that thread alone. */
struct virtual_turn {
	uint64_t until, came; /* when it is over; the order of coming */
	uint32_t thread;      /* its id */
	uint32_t at;	      /* in the queue */
	_Atomic uint32_t moves;
};

/* While the session begins: time is `begin` ticks (ns), and nobody waits. */
void virtual_queue_open(uint64_t begin);

/* Now, in ns.  Any thread. */
uint64_t virtual_queue_now(void);

/* The calling thread, whose turn this is, does something for so long.  False: it left though not
 * all was settled. */
bool virtual_queue_pass(struct virtual_turn *turn, uint64_t ns);

/* SPDX-License-Identifier: MIT */
/* wait_rules.h - what the kind of a wait says of how it is recorded and how it ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/words.h"

/* Whether a wait of that kind keeps its worker from all else: one of a lock or the like. */
static inline bool wait_blocks(unsigned wait)
{
	enum { NOT, BLOCKS };
#define IF_BLOCKS(number, name, word, blocks) | (uint32_t)(blocks) << (number)
	return wait < WIRE_WAITS && (0 WIRE_WAIT_LIST(IF_BLOCKS)) >> wait & 1;
#undef IF_BLOCKS
}

/* The kind of wait by whose rules it ends. */
static inline enum wire_wait wait_rule(enum wire_wait wait)
{
	if (wait == WIRE_WAIT_THREADS)
		return WIRE_WAIT_BARRIER;
	if (wait == WIRE_WAIT_WORD)
		return WIRE_WAIT_NAMED;
	return wait > WIRE_WAIT_BARRIER ? WIRE_WAIT_OBJECT : wait;
}

/* Whether a wait of that kind is recorded only where its task had to wait. */
static inline bool wait_had_to(unsigned wait)
{
	return wait > WIRE_WAIT_BARRIER && wait != WIRE_WAIT_WORD && wait != WIRE_WAIT_THREADS;
}

/* Whether whoever comes out of such a wait holds the object, and none comes to hold it unseen. */
static inline bool wait_holds(unsigned wait)
{
	return wait == WIRE_WAIT_OBJECT || wait == WIRE_WAIT_WORD;
}

/* SPDX-License-Identifier: MIT */
/*
 * insn.h - what a thread did to memory just before a sample of it: x86-64.
 *
 * The interrupt that takes a sample comes between two instructions, after one that the processor
 * had to wait for.  That one is found by its bytes, which end where the thread stands; where it is
 * in memory, by the registers.  A load whose word is stored next, before any jump, is a store: the
 * processor waits for the line where it is loaded, and not where it is written.  A loop of a few
 * bytes that only loads, compares and jumps waits for what others store.
 *
 * Only what compilers make of loads, stores and atomic operations is known, and no other processor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/trace/defs.h"

#define INSN_REGS 16u /* in the order of their numbers in instructions: rax rcx rdx rbx rsp .. */

struct insn {
	enum defs_op op;
	bool has_word;		    /* the address that it uses is base + (index << shift) + disp */
	uint8_t base, index, shift; /* base, index: INSN_REGS is none */
	int64_t disp;
};

#define INSN_WINDOW 40u /* bytes on either side that are looked at */

/* Of code with `before` bytes before the address pc, and `after` from there on. */
struct insn insn_at(uint64_t pc, const uint8_t *code, size_t before, size_t after);

/* The address that it used. */
static inline uint64_t insn_word(const struct insn *insn, const uint64_t reg[INSN_REGS])
{
	return (insn->base < INSN_REGS ? reg[insn->base] : 0) +
	       (insn->index < INSN_REGS ? reg[insn->index] << insn->shift : 0) +
	       (uint64_t)insn->disp;
}

/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - the callers of a thread that stands still, from its registers and a piece of its
 * stack.
 *
 * The rule of an address, how its function's frame lies on the stack, is read once, with libdw from
 * the .eh_frame of its module's file, and kept.  Rules are simple: the frame is at a register and
 * an offset, the return address below it.  What needs more (PLT stubs, signal frames) ends the
 * chain.
 *
 * One thread.  Nothing that the program says is trusted: addresses are only compared.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/sample/intern.h"
#include "collector/session/layout.h"

#define UNWIND_FRAMES 64u

struct unwind_rule;
struct unwind_module;

struct unwinder {
	const struct session *session;
	int pid;
	struct intern known;	  /* addresses, .. */
	struct unwind_rule *rule; /* .. and their rules, by number */
	struct unwind_module *module; /* by the session's number */
	uint32_t n_modules;	      /* that the rules know of */
};

/* Where a thread stands. */
struct unwind_start {
	uint64_t ip, sp, bp;
	bool has_bp;	   /* else it is unknown */
	const char *stack; /* `bytes` from sp on */
	size_t bytes;
};

struct unwind_frame {
	uint64_t pc;	 /* as FORMAT.md has it */
	uint32_t module; /* 1 + the session's number; 0: none */
};

/*
 * The frames, innermost first: how many, at least 1.  *cut: the chain could not be followed to the
 * end, nor to frame UNWIND_FRAMES.
 */
uint32_t unwind(struct unwinder *unwinder, const struct unwind_start *start,
		struct unwind_frame frame[UNWIND_FRAMES], bool *cut);

/* The bytes of the code from pc - before on, up to `n`: how many there are, 0 without its file. */
size_t unwind_code(struct unwinder *unwinder, const struct unwind_frame *frame, size_t before,
		   uint8_t *code, size_t n);

void unwind_free(struct unwinder *unwinder); /* a zeroed one is fine */

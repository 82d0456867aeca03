/* SPDX-License-Identifier: MIT */
/*
 * cilk.h - what the wrappers of the Cilk Plus runtime's entry points share.
 *
 * ABI facts, for what GCC 5 to 7 compile [gcc/cilk-common.c, gcc/c-family/cilk.c]:
 *
 *	A function that spawns has a frame, given to enter_frame before its first spawn.  A spawn
 *	is a __builtin_setjmp() into that frame and a call of an outlined function, the helper,
 *	which has a frame of its own: it calls enter_frame_fast, puts its caller up for stealing
 *	(inline), makes the spawned call, and calls leave_frame.
 *
 *	If the caller was stolen meanwhile, leave_frame doesn't return.  The thief goes on in the
 *	caller by a __builtin_longjmp() to its frame, with another stack.
 *
 *	A sync looks whether the frame has CILK_UNSYNCHED, which a thief sets.  If not it is
 *	nothing; if it has, the function calls __builtin_setjmp() and sync, which doesn't
 *	return: whoever comes last goes on in the function by __builtin_longjmp().
 */
#pragma once

#include "shims/common/wrap.h"

struct cilk_worker;

/* [libcilkrts/include/internal/abi.h; runtime/jmpbuf.h] */
struct cilk_frame {
	uint32_t flags; /* enum cilk_flag; the highest byte is the version */
	uint32_t size;	/* enum cilk_mark: neither the compiler nor the runtime uses it */
	struct cilk_frame *call_parent;
	struct cilk_worker *worker;
	void *except_data;
	/* A jump buffer: frame pointer, where to, stack pointer; the other two words are unused. */
	void *fp, *pc, *sp;
	uint64_t task; /* in a caller: whose code it is; in a helper: the caller's */
	void *real_pc; /* what the program had put into pc */
};

struct cilk_worker {
	void *queue[5];
	int32_t self;
	void *state[3];
	struct cilk_frame *current;
};

enum cilk_flag {
	CILK_UNSYNCHED = 0x02,
	CILK_LAST = 0x80, /* the thread's outermost frame */
};

typedef void (*cilk_body_32)(void *data, uint32_t low, uint32_t high);
typedef void (*cilk_body_64)(void *data, uint64_t low, uint64_t high);

#include "shims/cilk/cilk_functions.h"

struct cilk {
	struct instance head;
	CILK_FUNCTIONS(CALL_POINTER)
	CILK_ASKED(CALL_POINTER)
	_Atomic uint32_t told_workers; /* how many it has */
	_Atomic uint32_t noted;	       /* that something of it cannot be seen */
};
enum cilk_entry { CILK_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(cilk)

/* The one copy that is traced; frames are the same for all, and say not whose they are. */
extern struct cilk *_Atomic cilk_traced CALL_HIDDEN;

/* Tells how many workers there are, once the runtime is up: to ask earlier would start it. */
void cilk_tell_workers(struct cilk *cilk) CALL_HIDDEN;

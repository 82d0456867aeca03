/* SPDX-License-Identifier: MIT */
/*
 * aside.h - a call inside of which the program's code runs, with no stack of ours: what is kept
 * across it lies aside, in memory of the shim's.
 *
 * The function that is called finds its arguments where they are, in registers and on the stack,
 * and our return address in the place of the caller's, which waits in the aside.  A callee-saved
 * register leads there, so that the call may return on any thread, and unwinders find the caller.
 *
 *	aside_call(a, b, c, d, aside, fn)
 *			calls fn(a, b, c, d), as the last thing that a wrapper does; with no aside
 *			it jumps there
 *	ASIDE_WRAPPER(name)
 *			is the wrapper of a function of any words.  name_enter(in, on_stack, from)
 *			is called first, with the arguments and the return address.  It may change
 *			them, and says which function gets them; with no aside, that is jumped to
 *
 * aside->back(aside, what was returned) is called when the call is back, or with NULL when it
 * throws; the caller gets what that returns, or the exception.
 */
#pragma once

#include <stddef.h>
#include "shims/common/door.h"

struct aside {
	const void *from; /* the caller's return address; NULL: the call throws */
	uint64_t saved;	  /* .. and its register, in which the aside is kept */
	void *(*back)(struct aside *aside, void *returned);
	const uintptr_t *stack; /* the caller's; our return address is below.  NULL: no call's */
	uint64_t age;		/* the worker's `head` when the call was made */
};

/* In back(), before the aside is given to others: whether the call throws. */
static inline bool aside_threw(const struct aside *aside)
{
	return !aside->from;
}

typedef void *aside_fn(const void *, const void *, const void *, const void *);
CALL_HIDDEN void *aside_call(const void *a, const void *b, const void *c, const void *d,
			     struct aside *aside, aside_fn *fn);

struct aside_entered {
	const void *to;
	struct aside *aside; /* NULL: nothing is to be done when it is back */
};

#define ASIDE_ENTER(name)                                                                          \
	struct aside_entered name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)

/*
 * Bytes of stack that we leave as they are, before a call and behind it; 8 more than a multiple of
 * 16.  A task that libgomp ran at once was in a frame there, and its last child's thread may still
 * read whether it waits: without us, nobody writes there as soon.  [task.c, GOMP_taskwait() takes
 * no lock where there is no child; gomp_task_run_post_remove_parent()]
 */
#define ASIDE_BELOW "520"

/* clang-format off */
#if IN_ASSEMBLY
/* Registers, so that who unwinds finds the caller at each instruction. */
__asm__(".macro aside_push registers:vararg\n" \
	".irp register, \\registers\n" \
	"	push \\register\n" \
	"	.cfi_adjust_cfa_offset 8\n" \
	".endr\n" \
	".endm\n" \
	".macro aside_pop registers:vararg\n" \
	".irp register, \\registers\n" \
	"	pop \\register\n" \
	"	.cfi_adjust_cfa_offset -8\n" \
	".endr\n" \
	".endm\n");

/* name_enter() leaves what it returns in %rax and %rdx; aside_hold() wants it in %r11 and %r10. */
#define ASIDE_WRAPPER(name) \
	CALL_HIDDEN ASIDE_ENTER(name); \
	__asm__(".text\n" \
		".p2align 4\n" \
		".globl " #name "_on\n" \
		".hidden " #name "_on\n" \
		".type " #name "_on, %function\n" \
		#name "_on:\n" \
		"	.cfi_startproc\n" \
		"	sub $" ASIDE_BELOW ", %rsp\n" \
		"	.cfi_adjust_cfa_offset " ASIDE_BELOW "\n" \
		"	aside_push %r9, %r8, %rcx, %rdx, %rsi, %rdi\n" \
		"	mov %rsp, %rdi\n" \
		"	lea 56+" ASIDE_BELOW "(%rsp), %rsi\n" \
		"	mov 48+" ASIDE_BELOW "(%rsp), %rdx\n" \
		"	call " #name "_enter\n" \
		"	mov %rax, %r11\n" \
		"	mov %rdx, %r10\n" \
		"	aside_pop %rdi, %rsi, %rdx, %rcx, %r8, %r9\n" \
		"	add $" ASIDE_BELOW ", %rsp\n" \
		"	.cfi_adjust_cfa_offset -" ASIDE_BELOW "\n" \
		"	jmp aside_hold\n" \
		"	.cfi_endproc\n" \
		".size " #name "_on, .-" #name "_on\n")
#else
#define ASIDE_WORDS uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t
typedef uintptr_t aside_words_fn(ASIDE_WORDS, ASIDE_WORDS);
#define ASIDE_WRAPPER(name) \
	CALL_HIDDEN ASIDE_ENTER(name); \
	static __attribute__((used)) uintptr_t name##_words( \
		uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, \
		uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l) \
	{ \
		uintptr_t in[6] = { a, b, c, d, e, f }, on_stack[6] = { g, h, i, j, k, l }; \
		struct aside_entered call = \
			name##_enter(in, on_stack, __builtin_return_address(0)); \
		volatile uintptr_t below = (uintptr_t)call.aside; \
		uintptr_t returned; \
		\
		if (call.aside) { \
			call.aside->from = call.aside; \
			call.aside->stack = (const uintptr_t *)&below + 1; \
		} \
		returned = ((aside_words_fn *)(uintptr_t)call.to)( \
			in[0], in[1], in[2], in[3], in[4], in[5], \
			on_stack[0], on_stack[1], on_stack[2], on_stack[3], on_stack[4], \
			on_stack[5]); \
		\
		if (!call.aside) \
			return returned; \
		return (uintptr_t)call.aside->back(call.aside, (void *)returned); \
	} \
	__asm__(".globl " #name "_on\n.hidden " #name "_on\n.set " #name "_on, " #name "_words")
#endif
/* clang-format on */

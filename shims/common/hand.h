/* SPDX-License-Identifier: MIT */
/*
 * hand.h - the wrapper of a function of many arguments, inside of which the program's code runs: no
 * frame of ours lies below that but the call itself with its arguments.
 *
 *	HAND_5(name)	is the wrapper of void name(), which has six words of arguments in registers
 *			and five on the stack
 *	HAND_6(name)	six on the stack
 *	HAND_IN_PLACE(name)
 *			is HAND_5(name) and takes no stack at all, for callers that drop
 *			HAND_PLACE_BYTES: five words, and padding, where the return address waits
 *
 * name_enter(in, on_stack, from) is called first, with the arguments and the return address.  It
 * may change those in registers, and says which function gets them.  If that is recorded, its
 * return leads to name_leave(on_stack), and meanwhile the caller's words on the stack are ours, as
 * an argument's place is the callee's: what is to be kept is kept there.  (Not in place: there the
 * words are the arguments.)
 */
#pragma once

#include "shims/common/door.h"

#define HAND_PLACE_BYTES 48

struct hand {
	const void *to;
	uintptr_t recorded; /* else it is jumped to, and does all that is to be done */
};

#define HAND_DECLARE(name, kept)                                                                   \
	CALL_HIDDEN struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from);    \
	CALL_HIDDEN void name##_leave(kept *on_stack)

#if IN_ASSEMBLY
#define HAND_5(name) HAND_MAKE(name, "", HAND_PUSH_5("40"), "40", "88", "96")
#define HAND_6(name)                                                                               \
	HAND_MAKE(name, HAND_DOWN("8"), HAND_PUSH_5("56") HAND_PUSH("56(%rsp)"), "56", "104", "112")
/* clang-format off */
#define HAND_PUSH(what) "	push " what "\n	.cfi_adjust_cfa_offset 8\n"
#define HAND_PUSH_5(at) \
	HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)") \
	HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)")
#define HAND_POP(what) "	pop " what "\n	.cfi_adjust_cfa_offset -8\n"
#define HAND_DOWN(bytes) "	sub $" bytes ", %rsp\n	.cfi_adjust_cfa_offset " bytes "\n"
#define HAND_UP(bytes) "	add $" bytes ", %rsp\n	.cfi_adjust_cfa_offset -" bytes "\n"
#define HAND_BEGIN(name) \
	".text\n" \
	".p2align 4\n" \
	".globl " #name "_on\n" \
	".hidden " #name "_on\n" \
	".type " #name "_on, %function\n" \
	#name "_on:\n" \
	"	.cfi_startproc\n"
#define HAND_END(name) \
	"	.cfi_endproc\n" \
	".size " #name "_on, .-" #name "_on\n"
/* Leaves struct hand in %rax and %r11. */
#define HAND_ENTER(name, from, on_stack) \
	HAND_PUSH("%r9") HAND_PUSH("%r8") HAND_PUSH("%rcx") \
	HAND_PUSH("%rdx") HAND_PUSH("%rsi") HAND_PUSH("%rdi") \
	"	mov %rsp, %rdi\n" \
	"	lea " on_stack "(%rsp), %rsi\n" \
	"	mov " from "(%rsp), %rdx\n" \
	"	call " #name "_enter\n" \
	"	mov %rdx, %r11\n" \
	HAND_POP("%rdi") HAND_POP("%rsi") HAND_POP("%rdx") \
	HAND_POP("%rcx") HAND_POP("%r8") HAND_POP("%r9")
#define HAND_MAKE(name, pad, copies, bytes, from, on_stack) \
	__asm__(HAND_BEGIN(name) pad copies HAND_ENTER(name, from, on_stack) \
		"	test %r11, %r11\n" \
		"	je 1f\n" \
		"	call *%rax\n" \
		"	.cfi_remember_state\n" \
		HAND_UP(bytes) \
		"	lea 8(%rsp), %rdi\n" \
		"	jmp " #name "_leave\n" \
		"	.cfi_restore_state\n" \
		"1:\n" HAND_UP(bytes) \
		"	jmp *%rax\n" HAND_END(name))
#define HAND_IN_PLACE(name) \
	__asm__(HAND_BEGIN(name) HAND_DOWN("8") HAND_ENTER(name, "56", "64") HAND_UP("8") \
		"	test %r11, %r11\n" \
		"	je 1f\n" \
		"	.cfi_remember_state\n" \
		"	pop 40(%rsp)\n" \
		"	.cfi_def_cfa_offset 0\n" \
		"	.cfi_offset %rip, 40\n" \
		"	call *%rax\n" \
		"	push 40(%rsp)\n" \
		"	.cfi_restore_state\n" \
		"	lea 8(%rsp), %rdi\n" \
		"	jmp " #name "_leave\n" \
		"1:	jmp *%rax\n" HAND_END(name))
/* clang-format on */
#else
#define HAND_WORDS uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t
typedef void hand_fn(HAND_WORDS, HAND_WORDS);
#define HAND_IN_PLACE(name) HAND_6(name)
#define HAND_5(name) HAND_6(name)
#define HAND_6(name)                                                                               \
	static __attribute__((used)) void name##_words(                                            \
		uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,      \
		uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l)      \
	{                                                                                          \
		uintptr_t in[6] = { a, b, c, d, e, f }, on_stack[6] = { g, h, i, j, k, l };        \
		struct hand hand = name##_enter(in, on_stack, __builtin_return_address(0));        \
                                                                                                   \
		((hand_fn *)(uintptr_t)hand.to)(in[0], in[1], in[2], in[3], in[4], in[5], g, h, i, \
						j, k, l);                                          \
		if (hand.recorded)                                                                 \
			name##_leave((void *)on_stack);                                            \
	}                                                                                          \
	__asm__(HAND_SET(#name))
#ifdef DOOR_JUMP
#define HAND_SET(name) ".globl " name "_on\n.hidden " name "_on\n.set " name "_on, " name "_words"
#else
#define HAND_SET(name) ".globl " name "\n.set " name ", " name "_words"
#endif
#endif

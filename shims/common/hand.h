/* SPDX-License-Identifier: MIT */
/*
 * hand.h - the wrapper of a function of many arguments, inside of which the program's code runs: no
 * frame of ours lies below that but the call itself with its arguments.
 *
 *	HAND_1(name)	is the wrapper of a function of six words in registers and one on the stack
 *	HAND_4(name), HAND_5(name), HAND_6(name)	.. and four, five, six on the stack
 *	HAND_IN_PLACE(name)
 *			is HAND_5(name) and takes no stack at all, for callers that drop
 *			HAND_PLACE_BYTES: five words, and padding, where the return address waits
 *
 * name_enter(in, on_stack, from) is called first, with the arguments and the return address.  It
 * may change those in registers, and says which function gets them, and how those on the stack get
 * there.  If they are copied, the caller's words on the stack are ours meanwhile, as an argument's
 * place is the callee's: what is to be kept is kept there.  The return leads to
 * name_leave(on_stack, what was returned), whose int the caller gets.
 */
#pragma once

#include "shims/common/door.h"

#define HAND_PLACE_BYTES 48

/* HAND_NOT: it is jumped to, and does all that is to be done.  HAND_COPIED: or in place, as the
 * macro says.  HAND_AT_2, _4, of HAND_4: in place, for callers that drop HAND_PLACE_4_BYTES; the
 * return address waits where that argument is, at which the function does not look. */
enum hand_how { HAND_NOT, HAND_COPIED, HAND_AT_2, HAND_AT_4 };
#define HAND_PLACE_4_BYTES 32

struct hand {
	const void *to;
	uintptr_t how; /* enum hand_how, in a register of its own */
};

/* The wrapper, for who calls it in C. */
#ifdef DOOR_JUMP
#define HAND_NAME(name) name "_on"
#else
#define HAND_NAME(name) name
#endif

#define HAND_DECLARE(name)                                                                         \
	CALL_HIDDEN struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from);    \
	CALL_HIDDEN int name##_leave(uintptr_t *on_stack, int returned)

#if IN_ASSEMBLY
#define HAND_1(name)                                                                               \
	__asm__(HAND_MAKE(name, HAND_PUSH("8(%rsp)"), "8", "56", "64", "") HAND_END(name))
#define HAND_4(name)                                                                               \
	__asm__(HAND_MAKE(name, HAND_DOWN("8") HAND_PUSH_4("40"), "40", "88", "96",                \
			  "	cmp $2, %r11\n	ja 3f\n	je 2f\n")                                  \
			HAND_ELSE("2", "40", HAND_PLACED(name, "8"))                               \
				HAND_ELSE("3", "40", HAND_PLACED(name, "24")) HAND_END(name))
#define HAND_5(name)                                                                               \
	__asm__(HAND_MAKE(name, HAND_PUSH("40(%rsp)") HAND_PUSH_4("40"), "40", "88", "96", "")     \
			HAND_END(name))
#define HAND_6(name)                                                                               \
	__asm__(HAND_MAKE(name,                                                                    \
			  HAND_DOWN("8") HAND_PUSH("56(%rsp)") HAND_PUSH("56(%rsp)")               \
				  HAND_PUSH_4("56"),                                               \
			  "56", "104", "112", "") HAND_END(name))
#define HAND_IN_PLACE(name)                                                                        \
	__asm__(HAND_MAKE(name, HAND_DOWN("8"), "8", "56", "64", "	jmp 2f\n")                 \
			HAND_ELSE("2", "8", HAND_PLACED(name, "40")) HAND_END(name))
/* clang-format off */
#define HAND_PUSH(what) "	push " what "\n	.cfi_adjust_cfa_offset 8\n"
#define HAND_PUSH_4(at) \
	HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)") HAND_PUSH(at "(%rsp)")
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
#define HAND_LEAVE(name) \
	"	lea 8(%rsp), %rdi\n" \
	"	mov %eax, %esi\n" \
	"	jmp " #name "_leave\n"
/* Up to where the words are copied, and the call; `otherwise` may jump first. */
#define HAND_MAKE(name, copies, bytes, from, on_stack, otherwise) \
	HAND_BEGIN(name) copies HAND_ENTER(name, from, on_stack) \
		"	test %r11, %r11\n" \
		"	je 1f\n" otherwise \
		"	call *%rax\n" \
		"	.cfi_remember_state\n" \
		HAND_UP(bytes) HAND_LEAVE(name) \
		"	.cfi_restore_state\n" \
		HAND_ELSE("1", bytes, "	jmp *%rax\n")
#define HAND_ELSE(label, bytes, what) \
		label ":	.cfi_remember_state\n" \
		HAND_UP(bytes) what \
		"	.cfi_restore_state\n"
/* The return address waits at that word of the caller's. */
#define HAND_PLACED(name, place) \
		"	pop " place "(%rsp)\n" \
		"	.cfi_def_cfa_offset 0\n" \
		"	.cfi_offset %rip, " place "\n" \
		"	call *%rax\n" \
		"	push " place "(%rsp)\n" \
		"	.cfi_def_cfa_offset 8\n" \
		"	.cfi_restore %rip\n" \
		HAND_LEAVE(name)
/* clang-format on */
#else
#define HAND_WORDS uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t
typedef int hand_fn(HAND_WORDS, HAND_WORDS);
#define HAND_1(name) HAND_6(name)
#define HAND_4(name) HAND_6(name)
#define HAND_5(name) HAND_6(name)
#define HAND_IN_PLACE(name) HAND_6(name)
#define HAND_6(name)                                                                               \
	static __attribute__((used)) int name##_words(                                             \
		uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,      \
		uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l)      \
	{                                                                                          \
		uintptr_t in[6] = { a, b, c, d, e, f }, on_stack[6] = { g, h, i, j, k, l };        \
		struct hand hand = name##_enter(in, on_stack, __builtin_return_address(0));        \
		int returned = ((hand_fn *)(uintptr_t)hand.to)(in[0], in[1], in[2], in[3], in[4],  \
							       in[5], g, h, i, j, k, l);           \
                                                                                                   \
		return hand.how ? name##_leave(on_stack, returned) : returned;                     \
	}                                                                                          \
	__asm__(HAND_SET(#name))
#ifdef DOOR_JUMP
#define HAND_SET(name) ".globl " name "_on\n.hidden " name "_on\n.set " name "_on, " name "_words"
#else
#define HAND_SET(name) ".globl " name "\n.set " name ", " name "_words"
#endif
#endif

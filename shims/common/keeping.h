/* SPDX-License-Identifier: MIT */
/*
 * keeping.h - a call inside of which the program's code runs, and across which one word is kept,
 * with 16 bytes of stack.  A compiler takes 32: one word more for an exception.
 *
 * KEEP_CALL(name, back) makes void *name(a, b, c, d, word, fn), which calls fn(a, b, c, d) and ends
 * with back(word, what fn returned); if fn throws, back(word, NULL) is called, and the exception
 * goes on.
 */
#pragma once

#include "shims/common/door.h"

typedef void *keep_fn(const void *, const void *, const void *, const void *);

#define KEEP_CALL(name, back)                                                                      \
	CALL_HIDDEN void *back(uint64_t word, void *returned);                                     \
	CALL_HIDDEN void *name(const void *a, const void *b, const void *c, const void *d,         \
			       uint64_t word, keep_fn *fn);                                        \
	KEEP_MAKE(name, back)

#if IN_ASSEMBLY
/* The last lines: what is called between 1 and 2 may throw, to 3.  [gcc's unwind-c.c] */
/* clang-format off */
#define KEEP_MAKE(name, back) \
	__asm__(".text\n" \
		".p2align 4\n" \
		".globl " #name "\n" \
		".hidden " #name "\n" \
		".type " #name ", %function\n" #name ":\n" \
		"	.cfi_startproc\n" \
		"	.cfi_personality 0x9b, DW.ref.__gcc_personality_v0\n" \
		"	.cfi_lsda 0x1b, .L" #name "_calls\n" \
		"	push %rbx\n" \
		"	.cfi_adjust_cfa_offset 8\n" \
		"	.cfi_rel_offset %rbx, 0\n" \
		"	mov %r8, %rbx\n" \
		"1:	call *%r9\n" \
		"2:	mov %rbx, %rdi\n" \
		"	mov %rax, %rsi\n" \
		"	.cfi_remember_state\n" \
		"	pop %rbx\n" \
		"	.cfi_adjust_cfa_offset -8\n" \
		"	.cfi_restore %rbx\n" \
		"	jmp " #back "\n" \
		"	.cfi_restore_state\n" \
		"3:	mov %rbx, %rdi\n" \
		"	xor %esi, %esi\n" \
		"	mov %rax, %rbx\n" \
		"	call " #back "\n" \
		"	mov %rbx, %rdi\n" \
		"	call _Unwind_Resume@PLT\n" \
		"4:	.cfi_endproc\n" \
		".size " #name ", .-" #name "\n" \
		".section .gcc_except_table, \"a\", @progbits\n" \
		".L" #name "_calls:\n" \
		"	.byte 0xff, 0xff, 1\n" \
		"	.uleb128 7f - 6f\n" \
		"6:	.uleb128 1b - " #name ", 2b - 1b, 3b - " #name ", 0\n" \
		"	.uleb128 3b - " #name ", 4b - 3b, 0, 0\n" \
		"7:	.text\n")
/* clang-format on */
#else
#define KEEP_MAKE(name, back)                                                                      \
	static inline void name##_leave(const uint64_t *word)                                      \
	{                                                                                          \
		if (*word)                                                                         \
			back(*word, NULL);                                                         \
	}                                                                                          \
	void *name(const void *a, const void *b, const void *c, const void *d, uint64_t word,      \
		   keep_fn *fn)                                                                    \
	{                                                                                          \
		uint64_t kept __attribute__((cleanup(name##_leave))) = word;                       \
		void *returned = fn(a, b, c, d);                                                   \
                                                                                                   \
		kept = 0;                                                                          \
		return back(word, returned);                                                       \
	}                                                                                          \
	_Static_assert(true, "for the semicolon")
#endif

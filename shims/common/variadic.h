/* SPDX-License-Identifier: MIT */
/*
 * variadic.h - the wrapper of a function that takes any arguments, which C cannot pass on, or that
 * looks who calls it.
 *
 *	VARIADIC(name, which)	saves the registers that hold arguments, and jumps to the function
 *				that which(from, arguments) returns, for which it is as if the
 *				program had called it
 *
 * `from` is the program's return address; `arguments` are the first six that are no floating-point
 * numbers.
 */
#pragma once

#include "shims/common/segment.h"

#define VARIADIC_TO(which) CALL_HIDDEN const void *which(void *from, const uintptr_t *arguments)

/* clang-format off */
#ifdef __x86_64__
#define VARIADIC(name, which)                                                                      \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"    \
		".cfi_startproc\n endbr64\n subq $200, %rsp\n.cfi_adjust_cfa_offset 200\n"         \
		"movq %rdi, (%rsp)\n movq %rsi, 8(%rsp)\n movq %rdx, 16(%rsp)\n"                   \
		"movq %rcx, 24(%rsp)\n movq %r8, 32(%rsp)\n movq %r9, 40(%rsp)\n"                  \
		"movq %rax, 48(%rsp)\n"                                                            \
		"movaps %xmm0, 64(%rsp)\n movaps %xmm1, 80(%rsp)\n movaps %xmm2, 96(%rsp)\n"       \
		"movaps %xmm3, 112(%rsp)\n movaps %xmm4, 128(%rsp)\n movaps %xmm5, 144(%rsp)\n"    \
		"movaps %xmm6, 160(%rsp)\n movaps %xmm7, 176(%rsp)\n"                              \
		"movq 200(%rsp), %rdi\n movq %rsp, %rsi\n call " #which "\n"                     \
		"movq %rax, %r11\n"                                                                \
		"movq (%rsp), %rdi\n movq 8(%rsp), %rsi\n movq 16(%rsp), %rdx\n"                   \
		"movq 24(%rsp), %rcx\n movq 32(%rsp), %r8\n movq 40(%rsp), %r9\n"                  \
		"movq 48(%rsp), %rax\n"                                                            \
		"movaps 64(%rsp), %xmm0\n movaps 80(%rsp), %xmm1\n movaps 96(%rsp), %xmm2\n"       \
		"movaps 112(%rsp), %xmm3\n movaps 128(%rsp), %xmm4\n movaps 144(%rsp), %xmm5\n"    \
		"movaps 160(%rsp), %xmm6\n movaps 176(%rsp), %xmm7\n"                              \
		"addq $200, %rsp\n.cfi_adjust_cfa_offset -200\n jmp *%r11\n.cfi_endproc\n"         \
		".size " #name ", . - " #name "\n")
#else
#define VARIADIC(name, which)                                                                      \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", %function\n" #name ":\n"    \
		".cfi_startproc\n hint #34\n stp x29, x30, [sp, #-224]!\n"                         \
		".cfi_adjust_cfa_offset 224\n.cfi_offset x30, -216\n"                              \
		"stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"          \
		"stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"                                      \
		"stp q0, q1, [sp, #96]\n stp q2, q3, [sp, #128]\n stp q4, q5, [sp, #160]\n"        \
		"stp q6, q7, [sp, #192]\n"                                                         \
		"mov x0, x30\n add x1, sp, #16\n bl " #which "\n mov x16, x0\n"                  \
		"ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"          \
		"ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n"                                      \
		"ldp q0, q1, [sp, #96]\n ldp q2, q3, [sp, #128]\n ldp q4, q5, [sp, #160]\n"        \
		"ldp q6, q7, [sp, #192]\n"                                                         \
		"ldp x29, x30, [sp], #224\n.cfi_adjust_cfa_offset -224\n.cfi_restore x30\n"        \
		"br x16\n.cfi_endproc\n.size " #name ", . - " #name "\n")
#endif
/* clang-format on */

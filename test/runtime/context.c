/* SPDX-License-Identifier: MIT */
/* context.c - leaves one stack for another: in assembler on x86-64, else by ucontext. */
#include "test/runtime/context.h"

#include <stdint.h>

#if !defined(CONTEXT_UCONTEXT)

/* [System V psABI, 3.2.1] */
__asm__(".text\n"
	".hidden context_switch\n"
	".globl context_switch\n"
	".type context_switch, @function\n"
	"context_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq (%rsi), %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size context_switch, . - context_switch\n");

void context_make(struct context *context, char *stack, size_t bytes, void (*entry)(void))
{
	uint64_t *top = (uint64_t *)(stack + bytes);

	*--top = 0; /* entry's return address: unwinding ends here */
	*--top = (uintptr_t)entry;
	for (int i = 0; i < 6; i++)
		*--top = 0;
	*--top = UINT64_C(0x037f) << 32 | 0x1f80; /* the words a process begins with */
	context->stack_pointer = top;
}

#else

void context_switch(struct context *from, const struct context *to)
{
	swapcontext(&from->uc, &to->uc);
}

void context_make(struct context *context, char *stack, size_t bytes, void (*entry)(void))
{
	getcontext(&context->uc);
	context->uc.uc_stack.ss_sp = stack;
	context->uc.uc_stack.ss_size = bytes;
	context->uc.uc_link = NULL;
	makecontext(&context->uc, entry, 0);
}

#endif

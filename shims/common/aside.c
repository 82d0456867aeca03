/* SPDX-License-Identifier: MIT */
/* aside.c - the call itself: in assembly, or as a compiler does it, with stack. */
#include "shims/common/aside.h"

#include "preload/poison.h"

#if IN_ASSEMBLY
/*
 * aside_hold: %r10 is the aside, or 0, and %r11 the function.  The return address and %rbx are
 * where expressions say: at the aside, %r10 first (0x7a) and %rbx (0x73) then.  What is called
 * between 1 and 2 may throw, to 3, which leaves no frame when the exception goes on.  [gcc's
 * unwind-c.c; DWARF 5, 6.4.2.3: DW_CFA_expression]
 */
/* clang-format off */
__asm__(".text\n"
	".p2align 4\n"
	".globl aside_call\n"
	".hidden aside_call\n"
	".type aside_call, %function\n"
	"aside_call:\n"
	"	.cfi_startproc\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r11\n"
	"	jmp aside_hold\n"
	"	.cfi_endproc\n"
	".size aside_call, .-aside_call\n"
	".p2align 4\n"
	".globl aside_hold\n"
	".hidden aside_hold\n"
	".type aside_hold, %function\n"
	"aside_hold:\n"
	"	.cfi_startproc\n"
	"	.cfi_personality 0x9b, DW.ref.__gcc_personality_v0\n"
	"	.cfi_lsda 0x1b, .Laside_calls\n"
	"	test %r10, %r10\n"
	"	je 4f\n"
	"	.cfi_remember_state\n"
	"	pop (%r10)\n"
	"	.cfi_def_cfa_offset 0\n"
	"	.cfi_escape 0x10, 16, 2, 0x7a, 0\n"
	"	mov %rbx, 8(%r10)\n"
	"	mov %r10, %rbx\n"
	"	.cfi_escape 0x10, 16, 2, 0x73, 0\n"
	"	.cfi_escape 0x10, 3, 2, 0x73, 8\n"
	"1:	call *%r11\n"
	"2:	.cfi_remember_state\n"
	"	push (%rbx)\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rip\n"
	"	mov %rax, %rsi\n"
	"	mov %rbx, %rdi\n"
	"	mov 8(%rbx), %rbx\n"
	"	.cfi_restore %rbx\n"
	"	jmp *16(%rdi)\n"
	"	.cfi_restore_state\n"
	"3:	push (%rbx)\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rip\n"
	"	mov %rbx, %rdi\n"
	"	mov 8(%rbx), %rbx\n"
	"	.cfi_restore %rbx\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"	xor %esi, %esi\n"
	"	call *16(%rdi)\n"
	"	pop %rdi\n"
	"	.cfi_def_cfa_offset 8\n"
	"	jmp _Unwind_Resume@PLT\n"
	"	.cfi_restore_state\n"
	"4:	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size aside_hold, .-aside_hold\n"
	".section .gcc_except_table, \"a\", @progbits\n"
	".Laside_calls:\n"
	"	.byte 0xff, 0xff, 1\n"
	"	.uleb128 7f - 6f\n"
	"6:	.uleb128 1b - aside_hold, 2b - 1b, 3b - aside_hold, 0\n"
	"7:\n"
	/* else the linker finds one in libgcc's morestack.o, with all that comes with it */
	".hidden DW.ref.__gcc_personality_v0\n"
	".weak DW.ref.__gcc_personality_v0\n"
	".section .data.rel.local.DW.ref.__gcc_personality_v0, \"awG\", @progbits, "
	"DW.ref.__gcc_personality_v0, comdat\n"
	".p2align 3\n"
	".type DW.ref.__gcc_personality_v0, @object\n"
	".size DW.ref.__gcc_personality_v0, 8\n"
	"DW.ref.__gcc_personality_v0:\n"
	"	.quad __gcc_personality_v0\n"
	"	.text\n");
/* clang-format on */
#else
static void aside_thrown(struct aside **aside)
{
	if (*aside)
		(*aside)->back(*aside, NULL);
}

void *aside_call(const void *a, const void *b, const void *c, const void *d, struct aside *aside,
		 aside_fn *fn)
{
	struct aside *thrown __attribute__((cleanup(aside_thrown))) = aside;
	void *returned = fn(a, b, c, d);

	thrown = NULL;
	return aside ? aside->back(aside, returned) : returned;
}
#endif

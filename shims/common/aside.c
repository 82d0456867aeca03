/* SPDX-License-Identifier: MIT */
/* aside.c - the call itself: in assembly, or as a compiler does it, with stack. */
#include "shims/common/aside.h"

#if IN_ASSEMBLY
#include <dlfcn.h>
#include <stdatomic.h>
#include <unwind.h>

/*
 * What an exception passes by.  Looked up when the first one comes, since programs in C run where
 * there is no libgcc: that of the program, or else the one that pthread_exit() loads.
 */
static struct {
	void *_Atomic set, *_Atomic set_ip, *_Atomic resume;
} unwinder;

static void unwinder_find(void *_Atomic *to, void *libgcc, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && libgcc)
		found = dlsym(libgcc, name);
	atomic_store(to, found);
}

static __attribute__((noinline)) void unwinder_look(void)
{
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_LAZY);

	unwinder_find(&unwinder.set, libgcc, "_Unwind_SetGR");
	unwinder_find(&unwinder.set_ip, libgcc, "_Unwind_SetIP");
	unwinder_find(&unwinder.resume, libgcc, "_Unwind_Resume");
}

extern const char aside_landing[] CALL_HIDDEN;

/* The personality of aside_hold(): whatever is thrown through it lands there, when all frames that
 * it passes are to be cleaned up.  No exception is caught here. */
static __attribute__((used)) _Unwind_Reason_Code aside_passes(int version, _Unwind_Action actions,
							      _Unwind_Exception_Class kind,
							      struct _Unwind_Exception *exception,
							      struct _Unwind_Context *context)
{
	if (!(actions & _UA_CLEANUP_PHASE))
		return _URC_CONTINUE_UNWIND;
	if (!atomic_load(&unwinder.resume))
		unwinder_look();
	if (!unwinder.set || !unwinder.set_ip || !unwinder.resume)
		return _URC_CONTINUE_UNWIND;
	((__typeof__(_Unwind_SetGR) *)unwinder.set)(context, 0, (uintptr_t)exception);
	((__typeof__(_Unwind_SetIP) *)unwinder.set_ip)(context, (uintptr_t)aside_landing);
	return _URC_INSTALL_CONTEXT;
}

/* What the landing jumps to. */
static __attribute__((used)) void *aside_unwinder(void)
{
	return unwinder.resume;
}

/*
 * aside_hold: %r10 is the aside, or 0, and %r11 the function.  The return address and %rbx are
 * where expressions say: at the aside, %r10 first (0x7a) and %rbx (0x73) then.  What is called
 * may throw, to aside_landing, which leaves no frame when the exception goes on.
 * [DWARF 5, 6.4.2.3: DW_CFA_expression; .cfi_restore is no way back to the rule of the start: for
 * libgcc it means that a register is unsaved]
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
	"	.cfi_personality 0x1b, aside_passes\n"
	"	test %r10, %r10\n"
	"	je 1f\n"
	"	.cfi_remember_state\n"
	"	pop (%r10)\n"
	"	.cfi_def_cfa_offset 0\n"
	"	.cfi_escape 0x10, 16, 2, 0x7a, 0\n"
	"	mov %rbx, 8(%r10)\n"
	"	mov %rsp, 24(%r10)\n"
	"	mov %r10, %rbx\n"
	"	.cfi_escape 0x10, 16, 2, 0x73, 0\n"
	"	.cfi_escape 0x10, 3, 2, 0x73, 8\n"
	"	call *%r11\n"
	".globl aside_returned\n"
	".hidden aside_returned\n"
	"aside_returned:\n"
	"	.cfi_remember_state\n"
	"	push (%rbx)\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_offset %rip, -8\n"
	"	mov %rax, %rsi\n"
	"	mov %rbx, %rdi\n"
	"	mov 8(%rbx), %rbx\n"
	"	.cfi_restore %rbx\n"
	"	sub $" ASIDE_BELOW ", %rsp\n"
	"	.cfi_adjust_cfa_offset " ASIDE_BELOW "\n"
	"	call *16(%rdi)\n"
	"	add $" ASIDE_BELOW ", %rsp\n"
	"	.cfi_adjust_cfa_offset -" ASIDE_BELOW "\n"
	"	ret\n"
	"	.cfi_restore_state\n"
	".globl aside_landing\n"
	".hidden aside_landing\n"
	"aside_landing:\n"
	"	push (%rbx)\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_offset %rip, -8\n"
	"	mov %rbx, %rdi\n"
	"	mov 8(%rbx), %rbx\n"
	"	.cfi_restore %rbx\n"
	"	movq $0, (%rdi)\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"	xor %esi, %esi\n"
	"	call *16(%rdi)\n"
	"	call aside_unwinder\n"
	"	pop %rdi\n"
	"	.cfi_def_cfa_offset 8\n"
	"	jmp *%rax\n"
	"	.cfi_restore_state\n"
	"1:	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size aside_hold, .-aside_hold\n");
/* clang-format on */
#else
static void aside_thrown(struct aside **aside)
{
	if (!*aside)
		return;
	(*aside)->from = NULL;
	(*aside)->back(*aside, NULL);
}

void *aside_call(const void *a, const void *b, const void *c, const void *d, struct aside *aside,
		 aside_fn *fn)
{
	struct aside *thrown __attribute__((cleanup(aside_thrown))) = aside;
	volatile uintptr_t below = (uintptr_t)aside;
	void *returned;

	if (aside) {
		aside->from = aside;
		aside->stack = (const uintptr_t *)&below + 1;
	}
	returned = fn(a, b, c, d);
	thrown = NULL;
	return aside ? aside->back(aside, returned) : returned;
}
#endif

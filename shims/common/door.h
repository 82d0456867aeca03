/* SPDX-License-Identifier: MIT */
/*
 * door.h - what a program finds by the name of a runtime's function: a jump by a word of the shim's
 * table, RT_doors, which ends with a 0.
 *
 * Each word leads to the shim's function of that name, which records, and is entered as the door
 * was, with the program's return address.  Once it is known that nothing will be recorded in this
 * process, callsite.c leads all of them to the runtime's own functions: a program that is not
 * recorded pays one jump a call.  (In C, registers would be saved first, for the sake of what is
 * done else.)
 *
 * In C the shim's function has the runtime's name, for debuggers and readers; for the linker it is
 * NAME_on, and the door NAME.
 */
#pragma once

#include <stdbool.h>
#include "shims/common/segment.h"

#ifdef __x86_64__
#define IN_ASSEMBLY true /* what keeps less stack than compilers do (aside.h) */
#define DOOR_JUMP "	jmp *.Ldoor_\\name(%rip)\n"
#else /* processor.h has no third */
#define IN_ASSEMBLY false
#define DOOR_JUMP                                                                                  \
	"	hint #34\n" /* bti c */                                                            \
	"	adrp x16, .Ldoor_\\name\n"                                                         \
	"	ldr x16, [x16, :lo12:.Ldoor_\\name]\n"                                             \
	"	br x16\n"
#endif

/* The prototype of a function behind a door, for its own file.  Static in C, or a debugger would
 * know it by its other name only. */
#define DOOR_BEHIND(result, function, name, parameters)                                            \
	static __attribute__((used)) result function parameters __asm__(#function "_on");          \
	__asm__(".globl " #function "_on\n.hidden " #function "_on");

/* A door, and its word: of the function `name` that programs know. */
#define DOOR(name, function) "	door " name ", " #function "\n"
/* clang-format off */
/* All doors of a runtime. */
#define DOOR_TABLE(runtime, doors) \
	__asm__("	.macro door name, function\n" \
		"	.pushsection .data\n" \
		".Ldoor_\\name:\n" \
		"	.quad \\function\\()_on\n" \
		"	.popsection\n" \
		"	.p2align 4\n" \
		"	.globl \\name\n" \
		"	.type \\name, %function\n" \
		"\\name:\n" \
		"	.cfi_startproc\n" DOOR_JUMP "	.cfi_endproc\n" \
		"	.size \\name, .-\\name\n" \
		"	.endm\n" \
		"	.pushsection .data\n" \
		"	.p2align 3\n" \
		"	.globl " #runtime "_doors\n" \
		"	.hidden " #runtime "_doors\n" #runtime "_doors:\n" \
		"	.popsection\n" \
		"	.pushsection .text\n" doors "	.popsection\n" \
		"	.pushsection .data\n" \
		"	.quad 0\n" \
		"	.popsection\n" \
		"	.purgem door\n")
/* clang-format on */

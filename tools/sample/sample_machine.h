/* SPDX-License-Identifier: MIT */
/*
 * sample_machine.h - all of sampling that depends on the processor, but instructions (insn.h):
 * registers of the kernel, of DWARF, and of instructions.
 *
 * Elsewhere than on x86-64 a sample has its innermost frame only.
 */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <asm/perf_regs.h>

#define MACHINE_UNWINDS 1
/* rax to rip, and r8 to r15 */
#define MACHINE_REGS                                                                               \
	(((UINT64_C(2) << PERF_REG_X86_IP) - 1) |                                                  \
	 ((UINT64_C(2) << PERF_REG_X86_R15) - (UINT64_C(1) << PERF_REG_X86_R8)))
/* their order in a sample: that of the kernel's numbers */
enum { MACHINE_AX, MACHINE_BX, MACHINE_CX, MACHINE_DX, MACHINE_SI, MACHINE_DI };
enum { MACHINE_BP = MACHINE_DI + 1, MACHINE_SP, MACHINE_IP, MACHINE_R8, MACHINE_N_REGS = 17 };
/* that of instructions (insn.h) */
#define MACHINE_INSN_REGS                                                                          \
	{                                                                                          \
		MACHINE_AX, MACHINE_CX, MACHINE_DX, MACHINE_BX, MACHINE_SP, MACHINE_BP,            \
			MACHINE_SI, MACHINE_DI, MACHINE_R8, MACHINE_R8 + 1, MACHINE_R8 + 2,        \
			MACHINE_R8 + 3, MACHINE_R8 + 4, MACHINE_R8 + 5, MACHINE_R8 + 6,            \
			MACHINE_R8 + 7                                                             \
	}
/* numbers of the System V ABI's DWARF mapping */
enum { MACHINE_DWARF_BP = 6, MACHINE_DWARF_SP = 7, MACHINE_DWARF_RETURN = 16 };
#else
#define MACHINE_UNWINDS 0
#define MACHINE_REGS UINT64_C(0)
enum { MACHINE_BP, MACHINE_SP, MACHINE_IP, MACHINE_N_REGS };
#define MACHINE_INSN_REGS                                                                          \
	{                                                                                          \
		0                                                                                  \
	}
enum { MACHINE_DWARF_BP, MACHINE_DWARF_SP, MACHINE_DWARF_RETURN };
#endif

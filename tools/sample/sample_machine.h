/* SPDX-License-Identifier: MIT */
/*
 * sample_machine.h - all of sampling that depends on the processor: registers of the kernel and of
 * DWARF.
 *
 * Elsewhere than on x86-64 a sample has its innermost frame only.
 */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <asm/perf_regs.h>

#define MACHINE_UNWINDS 1
#define MACHINE_REGS                                                                               \
	(UINT64_C(1) << PERF_REG_X86_BP | UINT64_C(1) << PERF_REG_X86_SP |                         \
	 UINT64_C(1) << PERF_REG_X86_IP)
/* their order in a sample: that of the kernel's numbers */
enum { MACHINE_BP, MACHINE_SP, MACHINE_IP, MACHINE_N_REGS };
/* numbers of the System V ABI's DWARF mapping */
enum { MACHINE_DWARF_BP = 6, MACHINE_DWARF_SP = 7, MACHINE_DWARF_RETURN = 16 };
#else
#define MACHINE_UNWINDS 0
#define MACHINE_REGS UINT64_C(0)
enum { MACHINE_BP, MACHINE_SP, MACHINE_IP, MACHINE_N_REGS };
enum { MACHINE_DWARF_BP, MACHINE_DWARF_SP, MACHINE_DWARF_RETURN };
#endif

/* SPDX-License-Identifier: MIT */
/* drops.c - the few instructions of x86-64 that compilers put between a call and its end. */
#include "shims/common/drops.h"

#include "preload/poison.h"

#define INSTRUCTIONS 16 /* looked at, at most */
#define RSP 4		/* a register's number */
#define REX_WIDE 8
#define REX_REG 4
#define REX_INDEX 2
#define REX_BASE 1

static int32_t load_32(const uint8_t *code)
{
	int32_t n;

	__builtin_memcpy(&n, code, sizeof(n));
	return n;
}

/* A memory operand with a SIB byte: its bytes from ModRM on; 0: it may be one of the arguments. */
static int sib_bytes(const uint8_t *modrm, int rex, int32_t bytes)
{
	int mode = modrm[0] >> 6;
	int base = (modrm[1] & 7) | (rex & REX_BASE ? 8 : 0);
	int index = (modrm[1] >> 3 & 7) | (rex & REX_INDEX ? 8 : 0);
	int far = mode == 2 || (mode == 0 && (base & 7) == 5);
	int32_t at = far ? load_32(modrm + 2) : mode == 1 ? (int8_t)modrm[2] : 0;

	if (base == RSP && (index != RSP || at < bytes)) /* RSP as an index: there is none */
		return 0;
	return 2 + (far ? 4 : mode == 1);
}

/* An instruction's operands: their bytes; 0: they may be the stack pointer, or an argument. */
static int operand_bytes(const uint8_t *modrm, int rex, int32_t bytes)
{
	int mode = modrm[0] >> 6, rm = modrm[0] & 7;

	if ((modrm[0] >> 3 & 7) == RSP && !(rex & REX_REG))
		return 0;
	if (mode == 3)
		return rm == RSP && !(rex & REX_BASE) ? 0 : 1;
	if (rm == RSP)
		return sib_bytes(modrm, rex, bytes);
	return mode == 2 || (mode == 0 && rm == 5) ? 5 : 1 + mode;
}

/* The bytes of the immediate operand; -1: it is none of the instructions that are known. */
static int immediate_bytes(uint8_t opcode)
{
	switch (opcode) {
	case 0x01: /* add */
	case 0x03:
	case 0x29: /* sub */
	case 0x2b:
	case 0x31: /* xor */
	case 0x33:
	case 0x39: /* cmp */
	case 0x3b:
	case 0x63: /* movslq */
	case 0x85: /* test */
	case 0x89: /* mov */
	case 0x8b:
	case 0x8d: /* lea */
		return 0;
	case 0x83: /* add, sub, cmp, .. */
		return 1;
	case 0x81:
	case 0xc7: /* mov */
		return 4;
	default:
		return -1;
	}
}

bool drops_arguments(const void *return_address, int32_t bytes)
{
	const uint8_t *code = return_address;

	for (int n = 0; n < INSTRUCTIONS; n++) {
		int rex = (code[0] & 0xf0) == 0x40 ? *code++ : 0;
		int immediate = immediate_bytes(code[0]), operands;

		if (immediate > 0 && code[0] != 0xc7 && code[1] == 0xc4 && rex == (0x40 | REX_WIDE))
			return (immediate == 1 ? (int8_t)code[2] : load_32(code + 2)) >= bytes;
		if ((code[0] & 0xf8) == 0xb8) { /* mov, of an immediate to a register */
			if ((code[0] & 7) == RSP && !(rex & REX_BASE))
				return false;
			code += 1 + (rex & REX_WIDE ? 8 : 4);
			continue;
		}
		operands = immediate < 0 ? 0 : operand_bytes(code + 1, rex, bytes);
		if (!operands)
			return false;
		code += 1 + operands + immediate;
	}
	return false;
}

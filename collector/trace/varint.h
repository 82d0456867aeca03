/* SPDX-License-Identifier: MIT */
/* varint.h - LEB128: 7 bits a byte, the lowest first; the top bit says that another follows. */
#pragma once

#include <stdint.h>

#define VARINT_MAX 10u /* bytes of one */

/* Hot path: where the varint ends that begins there; VARINT_MAX bytes may be written.  One byte or
 * two, without a branch, are nearly all. */
static inline uint8_t *varint_store(uint8_t *at, uint64_t value)
{
	if (__builtin_expect(value < 1 << 14, 1)) {
		unsigned two = value >= 0x80;

		at[0] = (uint8_t)((value & 0x7f) | two << 7);
		at[1] = (uint8_t)(value >> 7);
		return at + 1 + two;
	}
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

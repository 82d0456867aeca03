/* SPDX-License-Identifier: MIT */
/* varint.h - LEB128: 7 bits a byte, the lowest first; the top bit says that another follows. */
#pragma once

#include <stdbool.h>
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

/* As varint_load(). */
static inline bool varint_load_any(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 63; shift += 7) {
		if (*at == end)
			return false;
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	if (*at == end || **at > 1)
		return false;
	*value |= (uint64_t)(*(*at)++) << 63;
	return true;
}

/* The varint at *at, which goes on behind it.  False if it is cut off, or has more than 64 bits.
 * Again without a branch between one byte and two. */
static inline bool varint_load(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *in = *at;

	if (__builtin_expect(end - in < 2 || (in[0] & in[1]) >= 0x80, 0))
		return varint_load_any(at, end, value);
	unsigned two = in[0] >> 7;

	*value = (in[0] & 0x7f) | (uint64_t)(in[1] * two) << 7;
	*at = in + 1 + two;
	return true;
}

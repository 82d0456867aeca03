/* SPDX-License-Identifier: MIT */
/* bits.h - flags by number, eight a byte: n of them take n / 8 + 1 bytes, zeroed at first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool bits_has(const uint8_t *bits, uint32_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static inline void bits_turn(uint8_t *bits, uint32_t i)
{
	bits[i / 8] ^= (uint8_t)(1u << i % 8);
}

static inline void bits_set(uint8_t *bits, uint32_t i, bool on)
{
	uint8_t bit = (uint8_t)(1u << i % 8);

	bits[i / 8] = on ? bits[i / 8] | bit : bits[i / 8] & (uint8_t)~bit;
}

/* SPDX-License-Identifier: MIT */
/*
 * field.h - what `data` and `operation` events say: a field << 56 | a value, as `message` and
 * `counter` have it.
 *
 * OBJECT begins data, MOMENT begins an operation; the fields behind say more of it.  Numbers never
 * change their meaning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define WIRE_FIELD_LIST(F)                                                                         \
	F(1, OBJECT, "object") /* begins data: its address */                                      \
	F(2, ACCESS, "access") /* of data: 1 it is read, 2 written, 3 written in any order */      \
	F(3, NODE,   "node")   /* of data: the memory that has it, a number of the program */      \
	F(4, BYTES,  "bytes")  /* of data, or that the operation moved */                          \
	F(5, MOMENT, "moment") /* begins an operation: a time, in units, after it */               \
	F(6, SITE,   "site")   /* of an operation: its site, whose runtime is the device */        \
	F(7, BEGAN,  "began")  /* of an operation: ns before the moment */                         \
	F(8, ENDED,  "ended")  /* of an operation: ns before the moment */
/* clang-format on */

#define ENTRY(number, name, word) WIRE_FIELD_##name = (number),
enum wire_field { WIRE_FIELD_LIST(ENTRY) WIRE_FIELDS };
#undef ENTRY

#define WIRE_FIELD_SHIFT 56
#define WIRE_FIELD_MOST ((UINT64_C(1) << WIRE_FIELD_SHIFT) - 1) /* values stop there */

static inline uint64_t field_make(uint64_t field, uint64_t value)
{
	return field << WIRE_FIELD_SHIFT | (value < WIRE_FIELD_MOST ? value : WIRE_FIELD_MOST);
}
static inline unsigned field_number(uint64_t b)
{
	return (unsigned)(b >> WIRE_FIELD_SHIFT);
}
static inline uint64_t field_value(uint64_t b)
{
	return b & WIRE_FIELD_MOST;
}

/* SPDX-License-Identifier: MIT */
/*
 * message.h - what a WIRE_MESSAGE event says of the `wait message` before it: a field and a
 * value, as field.h has it.
 *
 * A wait may be for several messages: each begins with one of the fields up to
 * WIRE_MESSAGE_BEGINS, whose value is a rank of MPI_COMM_WORLD, and the fields behind it say more
 * of it.  Numbers never change their meaning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WIRE_COMM_WORLD 1u
#define WIRE_COMM_PARENT 5u /* of ranks that were spawned: to those that spawned them */
#define WIRE_COMM_WITHIN 2u /* a bit that numbers of others within one world have */

/* clang-format off */
#define WIRE_MESSAGE_LIST(M)                                                                       \
	M(1, TO,        "to")        /* a message was sent to that rank */                         \
	M(2, FROM,      "from")      /* one was received from it */                                \
	M(3, ALL,       "all")       /* a collective call: each waits for all others */            \
	M(4, FROM_ROOT, "from-root") /* each waits for that rank */                                \
	M(5, TO_ROOT,   "to-root")   /* that rank waits for all others */                          \
	M(6, SCAN,      "scan")      /* each waits for those before it in the communicator */      \
	M(7, NEAR,      "near")      /* each waits for its neighbours */                           \
	M(16, COMM,     "comm")      /* the communicator: one number on all of its ranks; 1 is     \
				      * MPI_COMM_WORLD; missing if it is not known */              \
	M(17, ORDER,    "order")     /* from 1: which message of that sender, receiver, tag and    \
				      * communicator, or which collective call of that */          \
	M(18, TAG,      "tag")                                                                     \
	M(19, BYTES,    "bytes")     /* of the buffer: what is received may be less */             \
	M(20, RANKS,    "ranks")     /* how many ranks the communicator has */                     \
	M(21, AGAIN,    "again")     /* 1: a further wait of the rank for that message: a probe,   \
				      * or the end of a send that does not block */
/* clang-format on */

#define ENTRY(number, name, word) WIRE_MESSAGE_##name = (number),
enum wire_message { WIRE_MESSAGE_LIST(ENTRY) WIRE_MESSAGES };
#undef ENTRY
#define WIRE_MESSAGE_BEGINS WIRE_MESSAGE_COMM /* the first that begins none */

/* The number of what the n-th collective call of a communicator is about: a communicator to ranks
 * that it spawned, say. */
static inline uint32_t wire_comm_nth(uint32_t comm, uint32_t n)
{
	uint64_t key = (uint64_t)comm << 32 | n;

	key = (key ^ key >> 31) * 0x9e3779b97f4a7c15u;
	return ((uint32_t)(key ^ key >> 29) | 4) & ~WIRE_COMM_WITHIN;
}

/* Whether messages by that number are to ranks of another world. */
static inline bool wire_comm_between(uint32_t comm)
{
	return comm > WIRE_COMM_WORLD && !(comm & WIRE_COMM_WITHIN);
}

static inline bool message_field_known(uint64_t field)
{
#define IS_FIELD(number, ...) || field == (number)
	return 0 WIRE_MESSAGE_LIST(IS_FIELD);
#undef IS_FIELD
}

/* SPDX-License-Identifier: MIT */
/*
 * collapsed.h - what a WIRE_COLLAPSED event says of a task and of the tasks below it whose events
 * were taken out.
 *
 * A task that began and ended on one worker, with all tasks below it and nothing to do with any
 * other, keeps its BEGIN and END, and between them stand these events (collapse.h).  So does a part
 * of a task: the event that begins its first strand, and the one that ends its last.  Each has one
 * field and its value; a field that is missing is 0.  At each instant between the two the worker is
 * busy (runs one of the strands) or idle; then the strand that begins next is ready.  `k` further
 * strands may be ready, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* number, name, word, and whether the value is a COUNT or TICKS (in a file, units) */
/* clang-format off */
#define WIRE_COLLAPSED_LIST(F)                                                                     \
	F( 1, MADE,              "made",              COUNT) /* ids that the worker gave out */    \
	F( 2, OWN,               "own",               TICKS) /* work of the task's own strands */  \
	F( 3, WORK,              "work",              TICKS) /* of all strands */                  \
	F( 4, SPAN,              "span",              TICKS) /* the longest path through them */   \
	F( 5, PATH,              "path",              TICKS) /* work along their ready path */     \
	F( 6, CHAIN,             "chain",             COUNT) /* most tasks below it on a path */   \
	F( 7, TASKS,             "tasks",             COUNT) /* tasks below it */                  \
	F( 8, NEXT_CREATE,       "next-create",       TICKS) /* idle with k = 0, by the edge */    \
	F( 9, NEXT_CREATE_CONT,  "next-create-cont",  TICKS) /* of what began next */              \
	F(10, NEXT_WAIT_CONT,    "next-wait-cont",    TICKS)                                       \
	F(11, NEXT_JOIN,         "next-join",         TICKS)                                       \
	F(12, MORE_CREATE,       "more-create",       TICKS) /* likewise with k > 0 */             \
	F(13, MORE_CREATE_CONT,  "more-create-cont",  TICKS)                                       \
	F(14, MORE_WAIT_CONT,    "more-wait-cont",    TICKS)                                       \
	F(15, MORE_JOIN,         "more-join",         TICKS)                                       \
	F(16, READY_CREATE,      "ready-create",      TICKS) /* integral of k by its edge */       \
	F(17, READY_CREATE_CONT, "ready-create-cont", TICKS)                                       \
	F(18, IDLE_0,            "idle-0",            TICKS) /* idle with k = 0 */                 \
	F(19, IDLE_1,            "idle-1",            TICKS)                                       \
	F(20, IDLE_2,            "idle-2",            TICKS)                                       \
	F(21, IDLE_3,            "idle-3",            TICKS)                                       \
	F(22, IDLE_4,            "idle-4",            TICKS)                                       \
	F(23, IDLE_5,            "idle-5",            TICKS)                                       \
	F(24, IDLE_6,            "idle-6",            TICKS)                                       \
	F(25, IDLE_7,            "idle-7",            TICKS) /* with 7 or more */                  \
	F(26, BUSY_0,            "busy-0",            TICKS) /* likewise, busy */                  \
	F(27, BUSY_1,            "busy-1",            TICKS)                                       \
	F(28, BUSY_2,            "busy-2",            TICKS)                                       \
	F(29, BUSY_3,            "busy-3",            TICKS)                                       \
	F(30, BUSY_4,            "busy-4",            TICKS)                                       \
	F(31, BUSY_5,            "busy-5",            TICKS)                                       \
	F(32, BUSY_6,            "busy-6",            TICKS)                                       \
	F(33, BUSY_7,            "busy-7",            TICKS)                                       \
	F(34, JOIN_SPAN,         "join-span",         TICKS) /* longest path to one not joined */  \
	F(35, JOIN_CHAIN,        "join-chain",        COUNT) /* most tasks on such a path */       \
	F(36, CREATED,           "created",           COUNT) /* of a part: by the task itself */   \
	F(37, WAITED,            "waited",            COUNT) /* of a part: its own waits, yields */
/* clang-format on */

#define ENTRY(number, name, ...) WIRE_COLLAPSED_##name = (number),
enum wire_collapsed {
	WIRE_COLLAPSED_NONE,
	WIRE_COLLAPSED_LIST(ENTRY) WIRE_COLLAPSED_FIELDS,
	/* the first of each row */
	WIRE_COLLAPSED_NEXT = WIRE_COLLAPSED_NEXT_CREATE,
	WIRE_COLLAPSED_MORE = WIRE_COLLAPSED_MORE_CREATE,
	WIRE_COLLAPSED_READY = WIRE_COLLAPSED_READY_CREATE,
	WIRE_COLLAPSED_IDLE = WIRE_COLLAPSED_IDLE_0,
	WIRE_COLLAPSED_BUSY = WIRE_COLLAPSED_BUSY_0,
};
#undef ENTRY

#define WIRE_COLLAPSED_K 8u

/* The operand: field << 56 | value. */
#define WIRE_COLLAPSED_SHIFT 56

static inline uint64_t collapsed_make(uint64_t field, uint64_t value)
{
	return field << WIRE_COLLAPSED_SHIFT | value;
}
static inline unsigned collapsed_field(uint64_t b)
{
	return (unsigned)(b >> WIRE_COLLAPSED_SHIFT);
}
static inline uint64_t collapsed_value(uint64_t b)
{
	return b & ((UINT64_C(1) << WIRE_COLLAPSED_SHIFT) - 1);
}
enum { COLLAPSED_TICKS, COLLAPSED_COUNT };
static inline bool collapsed_is_count(unsigned field)
{
#define ENTRY(number, name, word, unit) | (uint64_t)COLLAPSED_##unit << (number)
	return field < WIRE_COLLAPSED_FIELDS && (0 WIRE_COLLAPSED_LIST(ENTRY)) >> field & 1;
#undef ENTRY
}

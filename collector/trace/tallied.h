/* SPDX-License-Identifier: MIT */
/*
 * tallied.h - what a WIRE_TALLY event says of collapsed tasks: of which sites they were.
 *
 * The records of collapsed tasks (collapsed.h) say how many there are, not of which kinds.  Each
 * TALLY has one number of all collapsed tasks of one site whose records are in the same block.
 * What several of them say adds up, but for the least and the most.
 */
#pragma once

#include <stdint.h>

/* number, name, word, and whether the value is a COUNT or TICKS (in a file, units) */
/* clang-format off */
#define WIRE_TALLY_LIST(P)                                                                         \
	P(1, TASKS,   "tasks",   COUNT) /* collapsed tasks of the site */                          \
	P(2, WORK,    "work",    TICKS) /* of their own strands */                                 \
	P(3, READY,   "ready",   TICKS) /* from creation to begin */                               \
	P(4, MIN,     "min",     TICKS) /* the least work of one */                                \
	P(5, MAX,     "max",     TICKS) /* the most work of one */                                 \
	P(6, WAITS,   "waits",   COUNT) /* of site 0: waits and yields of all and their roots */   \
	P(7, EVENTS,  "events",  COUNT) /* of site 0: events that were taken out */                \
	P(8, BY_WORK, "by-work", COUNT) /* tasks by their work: from here on, a part a bucket */
/* clang-format on */

#define ENTRY(number, name, ...) WIRE_TALLY_##name = (number),
enum wire_tally { WIRE_TALLY_NONE, WIRE_TALLY_LIST(ENTRY) };
#undef ENTRY

/*
 * Histograms: a bucket for each number below 8, and 8 for each power of two above, so that what
 * is counted is known to an eighth.
 */
#define WIRE_BUCKETS 496u
static inline uint32_t wire_bucket(uint64_t value)
{
	uint32_t log2 = value < 8 ? 2 : 63u - (uint32_t)__builtin_clzll(value);

	return value < 8 ? (uint32_t)value : (log2 - 2) * 8 + (value >> (log2 - 3) & 7);
}
static inline uint64_t wire_bucket_least(uint32_t bucket)
{
	return bucket < 8 ? bucket : (UINT64_C(8) | (bucket & 7)) << (bucket / 8 - 1);
}

/* The operand: site << 48 | part << 39 | value. */
#define WIRE_TALLY_PARTS (WIRE_TALLY_BY_WORK + WIRE_BUCKETS)
#define WIRE_TALLY_SITES 65536u
#define WIRE_TALLY_SHIFT 39
#define WIRE_TALLY_MOST ((UINT64_C(1) << WIRE_TALLY_SHIFT) - 1) /* value of one event */

static inline uint64_t tally_make(uint32_t site, uint32_t part, uint64_t value)
{
	return (uint64_t)site << 48 | (uint64_t)part << WIRE_TALLY_SHIFT | value;
}
static inline uint32_t tally_site(uint64_t b)
{
	return (uint32_t)(b >> 48);
}
static inline uint32_t tally_part(uint64_t b)
{
	return (uint32_t)(b >> WIRE_TALLY_SHIFT) % 512;
}
static inline uint64_t tally_value(uint64_t b)
{
	return b & WIRE_TALLY_MOST;
}
_Static_assert(WIRE_TALLY_PARTS <= 512, "bits of a part");

/* What the TALLY events of a site say together; `least` begins as UINT64_MAX. */
struct tallied {
	uint64_t n_tasks;
	uint64_t work;			  /* of their own strands */
	uint64_t ready;			  /* from creation to begin */
	uint64_t least, most;		  /* work of one */
	uint64_t n_by_work[WIRE_BUCKETS]; /* tasks, by wire_bucket(work of one) */
};

/* Adds what one of them says.  Nothing, if no such part of a site is known. */
static inline void tallied_add(struct tallied *sum, uint32_t part, uint64_t value)
{
	if (part == WIRE_TALLY_TASKS)
		sum->n_tasks += value;
	else if (part == WIRE_TALLY_WORK)
		sum->work += value;
	else if (part == WIRE_TALLY_READY)
		sum->ready += value;
	else if (part == WIRE_TALLY_MIN)
		sum->least = value < sum->least ? value : sum->least;
	else if (part == WIRE_TALLY_MAX)
		sum->most = value > sum->most ? value : sum->most;
	else if (part >= WIRE_TALLY_BY_WORK && part < WIRE_TALLY_PARTS)
		sum->n_by_work[part - WIRE_TALLY_BY_WORK] += value;
}

/* The same in units of 1 << shift ticks. */
static inline uint64_t tally_in_units(uint64_t b, uint32_t shift)
{
	uint32_t site = tally_site(b), part = tally_part(b);
	uint64_t value = tally_value(b);

	if (part >= WIRE_TALLY_BY_WORK)
		part = WIRE_TALLY_BY_WORK +
		       wire_bucket(wire_bucket_least(part - WIRE_TALLY_BY_WORK) >> shift);
	else if (part >= WIRE_TALLY_WORK && part <= WIRE_TALLY_MAX)
		value >>= shift;
	return tally_make(site, part, value);
}

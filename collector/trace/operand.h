/* SPDX-License-Identifier: MIT */
/*
 * operand.h - what the operand of an event says, and the words for it in the text form.
 */
#pragma once

#include "collector/trace/events.h"
#include "collector/trace/field.h"
#include "collector/trace/message.h"
#include "collector/trace/words.h"

enum operand {
	OPERAND_NONE,	   /* 0 */
	OPERAND_ID,	   /* the id of a task or group */
	OPERAND_SITE,	   /* a site */
	OPERAND_TASK,	   /* a site and enum wire_task */
	OPERAND_FORK,	   /* a site and enum wire_fork */
	OPERAND_WAIT,	   /* a site, enum wire_wait and WIRE_WAIT_GLOBAL */
	OPERAND_NAME,	   /* a word that names a task or a thing to wait for */
	OPERAND_NUMBER,	   /* a number */
	OPERAND_TICKS,	   /* a time or duration; in a file, in units */
	OPERAND_DEPEND,	   /* an address and enum wire_depend */
	OPERAND_LOST,	   /* a count and enum wire_loss */
	OPERAND_COLLAPSED, /* enum wire_collapsed and a value */
	OPERAND_TALLY,	   /* a site, enum wire_tally or a bucket, and a value */
	OPERAND_COUNTER,   /* the number of a counter and a value */
	OPERAND_PATH,	   /* the number of a call path */
	OPERAND_MESSAGE,   /* enum wire_message and a value (message.h) */
	OPERAND_FIELD,	   /* enum wire_field and a value (field.h) */
};

/* A kind's operand. */
static inline enum operand kind_operand(unsigned kind)
{
	switch (kind) {
#define CASE(number, name, word, strand, makes, operand, guesses)                                  \
	case number:                                                                               \
		return OPERAND_##operand;
		EVENTS(CASE)
#undef CASE
	default:
		return OPERAND_NONE;
	}
}

/* ---- ids: worker << 48 | n ---- */

#define WIRE_ID_WORKER_SHIFT 48

static inline uint64_t id_make(uint64_t worker, uint64_t n)
{
	return worker << WIRE_ID_WORKER_SHIFT | n;
}
static inline uint32_t id_worker(uint64_t id)
{
	return (uint32_t)(id >> WIRE_ID_WORKER_SHIFT);
}
static inline uint64_t id_n(uint64_t id)
{
	return id & ((UINT64_C(1) << WIRE_ID_WORKER_SHIFT) - 1);
}

/* ---- sites: flags, or the wait, << 32 | site ---- */

static inline uint64_t site_make(uint32_t site, uint32_t flags)
{
	return site | (uint64_t)flags << 32;
}
static inline uint32_t site_number(uint64_t b)
{
	return (uint32_t)b;
}
static inline uint32_t site_flags(uint64_t b)
{
	return (uint32_t)(b >> 32);
}

/* The function of a site that makes no task: its name is for the code that it stands in. */
#define WIRE_NAMES_CODE 1u

/* ---- dependences: type << 60 | address ---- */

#define WIRE_DEPEND_SHIFT 60

static inline uint64_t depend_address(uint64_t b)
{
	return b & ((UINT64_C(1) << WIRE_DEPEND_SHIFT) - 1);
}
/* Cuts off what does not fit of an address. */
static inline uint64_t depend_make(uint64_t address, uint64_t type)
{
	return depend_address(address) | type << WIRE_DEPEND_SHIFT;
}
static inline unsigned depend_type(uint64_t b)
{
	return (unsigned)(b >> WIRE_DEPEND_SHIFT);
}

/* ---- losses: why << 56 | events ---- */

#define WIRE_LOSS_SHIFT 56

static inline uint64_t lost_make(uint64_t n, uint64_t why)
{
	return n | why << WIRE_LOSS_SHIFT;
}
static inline uint64_t lost_n(uint64_t b)
{
	return b & ((UINT64_C(1) << WIRE_LOSS_SHIFT) - 1);
}
static inline unsigned lost_why(uint64_t b)
{
	return (unsigned)(b >> WIRE_LOSS_SHIFT);
}

/* Numbers of counters are below; one definition each (defs.h).  The operand is as of fields. */
#define WIRE_COUNTERS 16u

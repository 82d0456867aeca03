/* SPDX-License-Identifier: MIT */
/*
 * operand.h - what the operand of an event says, and the words for it in the text form.
 *
 *	NONE	  0				ID	the id of a task or group
 *	SITE	  a site			NAME	a word that names a task or a thing to wait
 *for TASK	  a site and enum wire_task	NUMBER	a number FORK	  a site and enum wire_fork
 *TICKS	a time or duration; in a file, in units WAIT	  a site, enum wire_wait and
 *WIRE_WAIT_GLOBAL DEPEND	  an address and enum wire_depend LOST	  a count and enum wire_loss
 *	COLLAPSED enum wire_collapsed and a value
 *	TALLY	  a site, enum wire_tally or a bucket, and a value
 *	COUNTER	  the number of a counter and a value
 *	PATH	  the number of a call path
 *	MESSAGE	  enum wire_message and a value (message.h)
 */
#pragma once

#include "collector/trace/events.h"
#include "collector/trace/message.h"
#include "collector/trace/wait_rules.h"
#include "collector/trace/words.h"

enum operand {
	OPERAND_NONE,
	OPERAND_ID,
	OPERAND_SITE,
	OPERAND_TASK,
	OPERAND_FORK,
	OPERAND_WAIT,
	OPERAND_NAME,
	OPERAND_NUMBER,
	OPERAND_TICKS,
	OPERAND_DEPEND,
	OPERAND_LOST,
	OPERAND_COLLAPSED,
	OPERAND_TALLY,
	OPERAND_COUNTER,
	OPERAND_PATH,
	OPERAND_MESSAGE,
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

/* ---- counters: number << 56 | value ---- */

#define WIRE_COUNTER_SHIFT 56
#define WIRE_COUNTERS 16u /* numbers are below; one definition each (defs.h) */
#define WIRE_COUNTER_MOST ((UINT64_C(1) << WIRE_COUNTER_SHIFT) - 1) /* values stop there */

static inline uint64_t counter_make(uint64_t number, uint64_t value)
{
	return number << WIRE_COUNTER_SHIFT |
	       (value < WIRE_COUNTER_MOST ? value : WIRE_COUNTER_MOST);
}
static inline unsigned counter_number(uint64_t b)
{
	return (unsigned)(b >> WIRE_COUNTER_SHIFT);
}
static inline uint64_t counter_value(uint64_t b)
{
	return b & WIRE_COUNTER_MOST;
}

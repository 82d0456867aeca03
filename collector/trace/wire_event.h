/* SPDX-License-Identifier: MIT */
/* wire_event.h - one event, as it lies in memory: its kind and time in a word, its operand in the
 * other. */
#pragma once

#include <stdint.h>

struct wire_event {
	uint64_t a; /* ticks << 8 | enum wire_kind; untimed: the kind alone */
	uint64_t b; /* the operand */
};

static inline unsigned event_kind(const struct wire_event *event)
{
	return event->a & 0xff;
}
static inline uint64_t event_ticks(const struct wire_event *event)
{
	return event->a >> 8;
}
/* The word `a` of a timed event; that of an untimed one is its kind. */
static inline uint64_t event_at(uint64_t ticks, unsigned kind)
{
	return ticks << 8 | kind;
}

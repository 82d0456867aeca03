/* SPDX-License-Identifier: MIT */
/* tallies.h - what the TALLY events of a stream add up to. */
#pragma once

#include <stdint.h>
#include <string.h>
#include "collector/trace/wire.h"

struct tallies {
	uint64_t n_tasks, work, ready, least, most;
	uint64_t n_by_work[WIRE_BUCKETS];
	uint64_t n_waits, n_events; /* of all sites */
};

/* Of that site alone; UINT32_MAX: of all. */
static inline void tallies_add(struct tallies *sum, uint64_t b, uint32_t site)
{
	uint64_t value = tally_value(b);
	uint32_t part = tally_part(b);

	if (part == WIRE_TALLY_WAITS)
		sum->n_waits += value;
	else if (part == WIRE_TALLY_EVENTS)
		sum->n_events += value;
	if (site != UINT32_MAX && tally_site(b) != site)
		return;
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

static inline struct tallies tallies_of(const struct wire_event *event, uint32_t n, uint32_t site)
{
	struct tallies sum = { .least = UINT64_MAX };

	for (uint32_t i = 0; i < n; i++)
		if (event_kind(&event[i]) == WIRE_TALLY)
			tallies_add(&sum, event[i].b, site);
	return sum;
}

/* Events that the worker made for those. */
static inline uint64_t tallies_made(const struct wire_event *event, uint32_t n)
{
	uint64_t made = 0;

	for (uint32_t i = 0; i < n; i++)
		made += events_made(&event[i]);
	return made;
}

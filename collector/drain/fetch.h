/* SPDX-License-Identifier: MIT */
/*
 * fetch.h - hands over what a worker has not handed over itself (preload/thin.h), in its place.
 *
 * From time to time, so that nothing stays with a worker that makes few events; and at the end,
 * when it makes none any more.  The worker may be at it at the same time: who claims the word
 * `handed` first does it.  Where the worker does not get on with it, its events are read where they
 * lie, for the end of a trace or a snapshot; its slots and its word stay as they are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wire_event;
struct worker;

/* Slots that the ring has, whatever is written there: n_most if that cannot be. */
uint64_t fetch_slots(const struct worker *worker, uint64_t n_most);

/*
 * Copies what is fresh to the worker's ring, as much as there is room for; the slots are the
 * collector's to take then.  The ring has room in its place for n_most.  A worker that has claimed
 * the word is waited for if `patient`: for some time, as it may have no CPU, or its thread may be
 * gone.  False if all is left to it.
 */
bool fetch(struct worker *worker, uint64_t n_most, bool patient);

/* Copies n of what is fresh from number `base` on.  It is sound if the worker's word is the same
 * after as before. */
void fetch_copy(struct wire_event *to, const struct wire_event *fresh, uint64_t base, uint32_t n);

/* Events that a worker has claimed and does not hand over: a copy. */
struct fetch_rest {
	struct wire_event *event; /* n of them; room for FRESH_SLOTS, or NULL */
	uint32_t n;
};

/*
 * Reads what the worker has claimed, where its ring got `given` events.  False if the worker got on
 * meanwhile, so that there is something to take instead; or without memory, and then n is 0.
 */
bool fetch_rest(struct worker *worker, uint64_t n_most, uint64_t given, struct fetch_rest *rest);
void fetch_rest_free(struct fetch_rest *rest); /* a zeroed one is fine */

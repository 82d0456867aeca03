/* SPDX-License-Identifier: MIT */
/*
 * fetch.h - hands over what a worker has not handed over itself (preload/thin.h), in its place.
 *
 * From time to time, so that nothing stays with a worker that makes few events; and at the end,
 * when it makes none any more.  The worker may be at it at the same time: who claims the word
 * `handed` first does it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* Slots that the ring has, whatever is written there: n_most if that cannot be. */
uint64_t fetch_slots(const struct worker *worker, uint64_t n_most);

/*
 * Copies what is fresh to the worker's ring, as much as there is room for; the slots are the
 * collector's to take then.  The ring has room in its place for n_most.  A worker that has claimed
 * the word is waited for if `patient`: for some time, as its thread may be gone; else all is left
 * to it.
 */
void fetch(struct worker *worker, uint64_t n_most, bool patient);

/* SPDX-License-Identifier: MIT */
/*
 * interleave.h - several runs of ascending keys as one.
 *
 * Nobody can tell which of the runs has the next key, so it is found without a branch.  A run is
 * followed by a key that is larger than all others, INTERLEAVE_END, for which it has room.
 */
#pragma once

#include <stdint.h>

#define INTERLEAVE_END UINT64_MAX

/* key[first..end-1], and key[end] is INTERLEAVE_END; the next run begins at end + 1. */
struct run {
	uint32_t first, end;
};

/*
 * No two keys are equal, and the first run begins at 0.  `other` has room for as many keys.  Where
 * the keys are: from the beginning of one of the two.  run[] is used up; n > 0.
 */
uint64_t *interleave(uint64_t *key, uint64_t *other, struct run *run, uint32_t n);

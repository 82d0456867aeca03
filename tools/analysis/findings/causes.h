/* SPDX-License-Identifier: MIT */
/* causes.h - the known causes of lost core-seconds: a row each. */
#pragma once

/* The causes, in the order in which they claim: X(id), of a `struct cause cause_ID` (cause.h). What
 * no other cause has is for the last. */
#define CAUSES(X)                                                                                  \
	X(cutoff)                                                                                  \
	X(chain)                                                                                   \
	X(serial)                                                                                  \
	X(tail)                                                                                    \
	X(coarse)                                                                                  \
	X(wait)                                                                                    \
	X(imbalance)                                                                               \
	X(fine)                                                                                    \
	X(held)                                                                                    \
	X(producer)                                                                                \
	X(away)                                                                                    \
	X(unshared)                                                                                \
	X(lock)                                                                                    \
	X(word)                                                                                    \
	X(blocked)                                                                                 \
	X(locking)                                                                                 \
	X(barred)                                                                                  \
	X(buried)                                                                                  \
	X(barrier)                                                                                 \
	X(contention)                                                                              \
	X(stretch)                                                                                 \
	X(loaded)                                                                                  \
	X(asleep)                                                                                  \
	X(tracer)                                                                                  \
	X(yields)                                                                                  \
	X(oversubscribed)
#define CAUSE_WORD(id) "|" #id
#define CAUSE_WORDS (&CAUSES(CAUSE_WORD)[1]) /* "cutoff|chain|.." */

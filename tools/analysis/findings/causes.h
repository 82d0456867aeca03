/* SPDX-License-Identifier: MIT */
/* causes.h - the known causes of lost core-seconds: a row each. */
#pragma once

/* The causes, in the order in which they claim: X(id, remedies), of a `struct cause cause_ID`
 * (cause.h), and which function of remedy.c has what a simulation can make of its advice, or
 * `none`. What no other cause has is for the last. */
#define CAUSES(X)                                                                                  \
	X(cutoff, none)                                                                            \
	X(chain, none)                                                                             \
	X(serial, serial)                                                                          \
	X(tail, tail)                                                                              \
	X(coarse, coarse)                                                                          \
	X(wait, wait)                                                                              \
	X(imbalance, imbalance)                                                                    \
	X(copies, none)                                                                            \
	X(fine, fine)                                                                              \
	X(held, none)                                                                              \
	X(producer, producer)                                                                      \
	X(away, away)                                                                              \
	X(unshared, none)                                                                          \
	X(lock, lock)                                                                              \
	X(word, none)                                                                              \
	X(blocked, none)                                                                           \
	X(message, none)                                                                           \
	X(late_sender, none)                                                                       \
	X(late_receiver, none)                                                                     \
	X(late_collective, none)                                                                   \
	X(rank_imbalance, none)                                                                    \
	X(message_ready, none)                                                                     \
	X(small_messages, none)                                                                    \
	X(serial_mpi, none)                                                                        \
	X(device, none)                                                                            \
	X(locking, none)                                                                           \
	X(barred, untied)                                                                          \
	X(buried, untied)                                                                          \
	X(barrier, none)                                                                           \
	X(contention, stretch)                                                                     \
	X(faults, stretch)                                                                         \
	X(syscalls, stretch)                                                                       \
	X(exceptions, stretch)                                                                     \
	X(formatting, stretch)                                                                     \
	X(stretch, stretch)                                                                        \
	X(loaded, none)                                                                            \
	X(asleep, none)                                                                            \
	X(tracer, none)                                                                            \
	X(yields, none)                                                                            \
	X(oversubscribed, none)
#define CAUSE_WORD(id, remedies) "|" #id
#define CAUSE_WORDS (&CAUSES(CAUSE_WORD)[1]) /* "cutoff|chain|.." */

/* SPDX-License-Identifier: MIT */
/*
 * cilk_functions.h - the entry points of libcilkrts that are wrapped or asked, with their
 * prototypes.
 *
 * Those with a _1 are for frames of version 1, which GCC makes; the others for version 0.
 * [libcilkrts/include/internal/abi.h]
 */
#pragma once

#define CILK_IN_TASK(F)                                                                            \
	F(void, __cilkrts_enter_frame, (struct cilk_frame * frame))                                \
	F(void, __cilkrts_enter_frame_1, (struct cilk_frame * frame))                              \
	F(void, __cilkrts_enter_frame_fast, (struct cilk_frame * frame))                           \
	F(void, __cilkrts_enter_frame_fast_1, (struct cilk_frame * frame))                         \
	F(void, __cilkrts_leave_frame, (struct cilk_frame * frame))                                \
	F(void, __cilkrts_sync, (struct cilk_frame * frame))                                       \
	F(int, __cilkrts_synched, (void))

#define CILK_IN_LOOP(F)                                                                            \
	F(void, __cilkrts_cilk_for_32, (cilk_body_32 body, void *data, uint32_t count, int grain)) \
	F(void, __cilkrts_cilk_for_64, (cilk_body_64 body, void *data, uint64_t count, int grain))

#define CILK_FUNCTIONS(F) CILK_IN_TASK(F) CILK_IN_LOOP(F)

/* Asked, not wrapped. */
#define CILK_ASKED(F)                                                                              \
	F(struct cilk_worker *, __cilkrts_get_tls_worker, (void))                                  \
	F(int, __cilkrts_get_nworkers, (void))

/* SPDX-License-Identifier: MIT */
/*
 * cilk_functions.h - the entry points of libcilkrts that are wrapped or asked, with their
 * prototypes.
 *
 * Those with a _1 are for frames of version 1, which GCC makes; the others for version 0.
 * [libcilkrts/include/internal/abi.h]
 */
#pragma once

#define CILK_FRAME (struct cilk_frame * frame)
#define CILK_ENTERS(F)                                                                             \
	F(void, __cilkrts_enter_frame, CILK_FRAME, ENTER)                                          \
	F(void, __cilkrts_enter_frame_1, CILK_FRAME, ENTER)                                        \
	F(void, __cilkrts_enter_frame_fast, CILK_FRAME, ENTER_FAST)                                \
	F(void, __cilkrts_enter_frame_fast_1, CILK_FRAME, ENTER_FAST)

#define CILK_IN_TASK(F)                                                                            \
	F(void, __cilkrts_leave_frame, CILK_FRAME)                                                 \
	F(void, __cilkrts_sync, CILK_FRAME)                                                        \
	F(int, __cilkrts_synched, (void))

#define CILK_LOOPS(F)                                                                              \
	F(void, __cilkrts_cilk_for_32, (cilk_body_32 body, void *data, uint32_t count, int grain), \
	  LOOP, 32)                                                                                \
	F(void, __cilkrts_cilk_for_64, (cilk_body_64 body, void *data, uint64_t count, int grain), \
	  LOOP, 64)

#define CILK_FUNCTIONS(F) CILK_ENTERS(F) CILK_IN_TASK(F) CILK_LOOPS(F)

/* Asked, not wrapped. */
#define CILK_ASKED(F)                                                                              \
	F(struct cilk_worker *, __cilkrts_get_tls_worker, (void))                                  \
	F(int, __cilkrts_get_nworkers, (void))

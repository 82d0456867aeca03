/* SPDX-License-Identifier: MIT */
/*
 * frame.h - what tptrace and tptrace-mpi say to each other, over one socket.
 *
 * A frame and its bytes.  To tptrace-mpi: bytes for another rank.  From it: bytes of another rank,
 * in the order that they were sent; frames are not kept apart.  The first frame from it has its own
 * rank, and a uint32_t: how many there are.  Both ends are on one machine, and of one build.
 */
#pragma once

#include <stdint.h>

#define FRAME_END UINT32_MAX /* as `rank`, to tptrace-mpi: nothing follows, and all is well */
#define FRAME_MOST_BYTES (64u << 20) /* longer ones are sent in pieces: MPI counts with an int */

struct frame {
	uint32_t rank;
	uint32_t n_bytes; /* that follow */
};

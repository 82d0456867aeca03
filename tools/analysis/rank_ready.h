/* SPDX-License-Identifier: MIT */
/* rank_ready.h - how long strands were ready that a call of MPI kept its worker from. */
#pragma once

#include "tools/analysis/pauses.h"
#include "tools/analysis/rank_calls.h"

/* By strand call_of[] is the call that it ended with; RANK_NONE.  0 or -ENOMEM. */
int rank_ready_find(struct rank_call *call, uint32_t n_calls, const uint32_t *call_of,
		    const struct dag *dag, const struct pauses *pauses);

/* SPDX-License-Identifier: MIT */
/* for schedule(guided) and monotonic:guided: GOMP_loop_nonmonotonic_guided_start and _next,
 * GOMP_loop_guided_start and _next, GOMP_loop_end, GOMP_loop_end_nowait. */
#define KIND guided
#include "for_dynamic.c"

/* SPDX-License-Identifier: MIT */
/* simulated_against.h - simulates what `tptrace record --slow` did, and prints both. */
#pragma once

#include "tools/whatif/against.h"
#include "tools/whatif/simulated_rows.h"

/* `rows` is of the plain side's middle run, on its own number of workers.  0, or -errno and *err;
 * *disagrees: the verdict. */
int simulated_against(const struct rows *rows, const struct against_side *plain,
		      const struct against_side *slowed, bool *disagrees, struct err *err);

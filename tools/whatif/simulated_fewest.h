/* SPDX-License-Identifier: MIT */
/* simulated_fewest.h - `tptrace simulate --fewest-changes`. */
#pragma once

#include "tools/whatif/simulated_rows.h"

/* Prints it.  `rows` has a forecast without rows, of one number of workers.  0, or -errno and
 * *err. */
int simulated_fewest(const struct rows *rows, struct err *err);

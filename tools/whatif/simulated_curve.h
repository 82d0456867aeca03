/* SPDX-License-Identifier: MIT */
/* simulated_curve.h - `tptrace simulate --curve`: a kind split into more and more parts. */
#pragma once

#include "tools/whatif/simulated_rows.h"

/* Prints it.  `rows` has a forecast without rows.  0, or -errno and *err. */
int simulated_curve(const struct rows *rows, struct err *err);

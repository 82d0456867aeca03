/* SPDX-License-Identifier: MIT */
/* distribution_table.h - how times are spread, as a table with a picture of each distribution. */
#pragma once

#include <stdio.h>
#include "tools/table/look.h"
#include "tools/summary/summary.h"

void distribution_table(FILE *out, const struct summary *summary, const struct look *look);

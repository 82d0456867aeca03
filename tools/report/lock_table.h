/* SPDX-License-Identifier: MIT */
/* lock_table.h - locks as text and CSV: `--by lock`. */
#pragma once

#include <stdbool.h>
#include "tools/report/look.h"
#include "tools/report/summary.h"

/* Those waited for longest first; and below each who waited, and who held it. */
void lock_table(FILE *out, const struct summary *summary, const struct look *look);

/* With `path`, a first column says which file it is of; the first line, of names, if `header`. */
void lock_csv(FILE *out, const struct summary *summary, const char *path, bool header);

/* SPDX-License-Identifier: MIT */
/* wait_table.h - places that wait for tasks, as text and CSV: `--by wait`. */
#pragma once

#include <stdbool.h>
#include "tools/report/look.h"
#include "tools/report/summary.h"

/* Those with the most idle time below first; and what each waited for last. */
void wait_table(FILE *out, const struct summary *summary, const struct look *look);

/* With `path`, a first column says which file it is of; the first line, of names, if `header`. */
void wait_csv(FILE *out, const struct summary *summary, const char *path, bool header);

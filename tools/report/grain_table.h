/* SPDX-License-Identifier: MIT */
/*
 * grain_table.h - what tasks of each length cost, from one run: `--by grain`.
 *
 * A row for each power of two that has tasks (grains.h), and one for tasks that nobody creates; the
 * columns add up to the components.  Each returns 0 or -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "tools/table/table.h"
#include "tools/summary/summary.h"

/* The rows, which are free()'s also after an error; and the table of them, of NULL its columns. */
struct grain_rows;
int grain_rows_open(struct grain_rows **rows, const struct summary *summary);
struct table grain_rows_table(const struct grain_rows *rows);

/* And from which length on tasks cost little. */
int grain_table(FILE *out, const struct summary *summary, const struct look *look);

/* With `path`, a first column says which file it is of; the first line, of names, if `header`. */
int grain_csv(FILE *out, const struct summary *summary, const char *path, bool header);

/* ,"grains":[..] */
int grain_put_json(FILE *out, const struct summary *summary);

/* SPDX-License-Identifier: MIT */
/*
 * source.h - the source files of kinds and sites, where they are there when the page is made.
 *
 * A trace may name any file, and a page is passed on: only regular files that are called like
 * source code go in, as text, and not more than a reader would want.
 */
#pragma once

#include "tools/summary/found.h"
#include "tools/view/columns.h"

/* Where a file is looked for: as it is named, then below `folder`, unless NULL.  An object of JSON,
 * from the names in the trace to texts. */
void source_put(FILE *out, const struct view_run *run, const char *folder);
/* The same of the files that findings are in. */
void source_put_found(FILE *out, const struct found *found, uint32_t n, const char *folder);

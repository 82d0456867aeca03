/* SPDX-License-Identifier: MIT */
/* earlier.h - the file that has the name which the trace of this run is to have. */
#pragma once

#include <stdbool.h>

/*
 * Before a run that writes to `output` (NULL or "": it names its trace itself): an earlier file
 * stays, and a line on stderr says where the trace goes; with `force` an earlier trace is removed.
 * NULL, or why it cannot be.  Names with %e and the like, and directories, are passed over.
 */
const char *earlier_make_way(const char *output, bool force);

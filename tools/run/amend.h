/* SPDX-License-Identifier: MIT */
/*
 * amend.h - adds definitions to a trace that has ended.
 *
 * The trace is written anew beside itself, and then takes the old one's place: whoever opens it at
 * any time, also after a crash, finds a whole trace.  Who has it open goes on reading the old one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "collector/trace/err.h"

/*
 * Appends lines of definitions to the trace at `path`, a regular file of this user's that ended
 * cleanly; links are followed.  `max_bytes`: the file does not get longer than that; 0: it may.
 * 0, or -errno and *err, and the trace is as it was: -EFBIG, if it would be too long.
 */
int trace_amend(const char *path, const char *lines, size_t bytes, uint64_t max_bytes,
		struct err *err);

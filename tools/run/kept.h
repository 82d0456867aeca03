/* SPDX-License-Identifier: MIT */
/*
 * kept.h - puts the names of a trace's sites, of its samples' frames, and of what its tasks waited
 * for, into the trace, a regular file of this user's that ended cleanly.
 *
 * The trace is written anew beside itself, and then takes the old one's place: whoever opens it at
 * any time, also after a crash, finds a whole trace.  Who has it open goes on reading the old one.
 */
#pragma once

#include <stdbool.h>
#include "collector/trace/err.h"
#include "tools/trace/reader.h"
#include "tools/run/sites.h"

/* `record` has left them to whoever reads the trace first: they took too long. */
bool kept_is_wanted(const struct defs *defs);

/* 0, or -errno and *err, and the trace is as it was: -EFBIG, if it would be longer than it may. */
int kept_put(const struct reader *reader, const struct sites *sites, struct err *err);

/* Leaves them to whoever reads the trace. */
int kept_leave(const char *path, struct err *err);

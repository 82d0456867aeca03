/* SPDX-License-Identifier: MIT */
/* kept.h - puts the names of a trace's sites, and of what its tasks waited for, into the trace. */
#pragma once

#include <stdbool.h>
#include "collector/trace/err.h"
#include "collector/trace/reader.h"
#include "tools/run/sites.h"

/* `record` has left them to whoever reads the trace first: they took too long. */
bool kept_is_wanted(const struct defs *defs);

/* 0, or -errno and *err, and the trace is as it was: trace_amend(). */
int kept_put(const struct reader *reader, const struct sites *sites, struct err *err);

/* Leaves them to whoever reads the trace. */
int kept_leave(const char *path, struct err *err);

/* SPDX-License-Identifier: MIT */
/* ring_trace.h - which trace goes on with the events of a ring file. */
#pragma once

#include <stdbool.h>
#include "collector/trace/err.h"

struct ring;

/*
 * *trace is the trace that the user names, or NULL; it becomes the one where the rings go, or NULL
 * for a new one.  -ENOENT and *err if the trace is gone: it may have another name now.  -EALREADY
 * and *err if a trace has all of it, also one that was made of this ring file before.
 */
int ring_trace(struct ring *ring, const char **trace, struct err *err);

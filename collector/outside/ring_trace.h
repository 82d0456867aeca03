/* SPDX-License-Identifier: MIT */
/*
 * ring_trace.h - which trace goes on with the events of a ring file, or where one is made: where
 * its process would have made it, or in the working directory.
 */
#pragma once

#include <stdbool.h>
#include "collector/trace/err.h"

struct ring;
struct session;

/*
 * *trace is the trace that the user names, or NULL; it becomes the one where the rings go, or NULL
 * for a new one.  -ENOENT and *err if the trace is gone: it may have another name now.  -EALREADY
 * and *err if a trace has all of it, also one that was made of this ring file before.
 */
int ring_trace(struct ring *ring, const char **trace, struct err *err);

/* Whether path_create() would make the trace of this session in a folder that is there, can be
 * written to, and is this user's or root's; and whether that folder is the working directory, also
 * of a trace that was begun. */
bool ring_trace_fits(const struct session *session);
bool ring_trace_is_here(const struct session *session);

/* From now on it makes that in the working directory: its process info names no place. */
void ring_trace_here(struct session *session);

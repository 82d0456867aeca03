/* SPDX-License-Identifier: MIT */
/*
 * writer.h - whether a trace is still being written.
 *
 * A process that has this very file open for writing writes it; nothing else is believed.  So no
 * claim is made of a copy, of a trace of another host, or of a pid that is somebody else's now.
 * Without /proc, or where the process is another user's, it cannot be seen.  Any thread.
 */
#pragma once

#include "tools/trace/defs_read.h"

/* The process that writes the trace of `fd`: the program, or a collector beside it; 0: none. */
int writer_of(const struct defs *defs, int fd);

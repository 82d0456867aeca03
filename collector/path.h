/* SPDX-License-Identifier: MIT */
/*
 * path.h - the name of a trace file.
 *
 * TPTRACE_OUTPUT is a directory, or a name with %e (program), %p (pid), %h (host), %r (MPI or
 * Slurm rank, 0 if none), %t (date and time), %%.  By default tptrace.%e.%p.tpt in the current
 * directory, with .r%r after the pid under MPI.  A file that exists is never touched: .1, .2, ..
 * is put behind the name.
 */
#pragma once

#include "collector/file.h"

/* Makes the trace file of this process.  0 or -errno, told in file->err. */
int path_create(struct trace_file *file, int pid);

/*
 * The name of its n-th snapshot, from 1: .snapshotN before .tpt.  0 or -errno and *err.  `room`
 * is of bytes.
 */
int path_snapshot(char *out, size_t room, int pid, uint32_t n, struct err *err);

/* The rank of this process among its fellows as its launcher says it, or NULL. */
const char *path_rank(void);

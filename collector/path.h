/* SPDX-License-Identifier: MIT */
/*
 * path.h - the name of a trace file.
 *
 * TPTRACE_OUTPUT is a directory, or a name with %e (program), %p (pid), %h (host), %r (MPI or
 * Slurm rank, 0 if none), %t (date and time), %%.  By default tptrace.%e.%p.tpt in the current
 * directory; under a launcher of many processes tptrace.%e.%h.%p.r%r.tpt.  A file that exists is
 * never touched: .1, .2, .. is put behind the name.
 */
#pragma once

#include "collector/file.h"

struct session;

/*
 * Makes the trace file of the session's process, as its facts say, and notes in it where that is;
 * what is not absolute is so from where the process stood when it began.  0 or -errno, told in
 * file->err.
 */
int path_create(struct trace_file *file, struct session *session);

/* The rank of this process among its fellows as its launcher says it, how many there are, and its
 * rank among those on this host; NULL if not said.  Any thread; the strings are the environment's.
 */
const char *path_rank(void);
const char *path_ranks(void);
const char *path_local_rank(void);

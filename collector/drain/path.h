/* SPDX-License-Identifier: MIT */
/*
 * path.h - the name of a trace file.
 *
 * TPTRACE_OUTPUT is a directory, or a name with %e (program), %p (pid), %h (host), %r (MPI or
 * Slurm rank, 0 if none), %j (Slurm's job, or the launcher's; 0), %t (date and time), %%.  By
 * default tptrace.%e.%p.tpt in the current directory; under a launcher of many processes
 * tptrace.%e.%h.%p.r%r.tpt, with .j%j before the host in a job of Slurm.  A file that exists is
 * never touched: .1, .2, .. is put behind the name.
 */
#pragma once

#include "collector/trace/file.h"

struct session;

/*
 * In a collector outside, before it takes anybody in: all traces go by that TPTRACE_OUTPUT (NULL:
 * by default), from the folder that this process is in, whatever the session's process info says.
 * That is in memory that the program can write to, and the program may be somewhere (a chroot,
 * say) where it can make no files.  0 or -errno.
 */
int path_decide(const char *output);

/*
 * Makes the trace file of the session's process, as its process info says, and notes in it where
 * that is; a relative path starts at the working directory in which the process began.  0 or -errno
 * and file->err.
 *
 * `part`, if not NULL: for who may be killed before the trace is whole.  It has the hidden name
 * .PART in its folder, in place of what somebody who was killed left there, until path_finish()
 * gives it its own, or file->err.
 */
int path_create(struct trace_file *file, struct session *session, const char *part);
void path_finish(struct trace_file *file, struct session *session);

/* The finished trace takes the name of an earlier one of the session, if there is one: file.h. */
void path_replace(struct trace_file *file, struct session *session, struct trace_file *earlier);

/* The name that it would have, without numbers, of PATH_MAX bytes.  0 or -errno and *err. */
int path_name(char *path, const struct session *session, struct err *err);

/*
 * The name of its n-th snapshot, from 1: .snapshotN before .tpt.  0 or -errno and *err.  `room`
 * is of bytes.
 */
int path_snapshot(char *out, size_t room, const struct session *session, uint32_t n,
		  struct err *err);

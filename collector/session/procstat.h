/* SPDX-License-Identifier: MIT */
/* procstat.h - what /proc/PID/stat says of a process. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Numbers of fields in proc(5). */
enum procstat_field {
	PROCSTAT_STATE = 3,
	PROCSTAT_UTIME = 14,   /* CPU time, in ticks; */
	PROCSTAT_STIME = 15,   /* .. in the kernel */
	PROCSTAT_THREADS = 20, /* with the main thread, even if it has ended */
	PROCSTAT_STARTTIME = 22,
	PROCSTAT_STATUS = 52, /* of a zombie: as wait() has it */
};

struct procstat {
	char text[1024];
};

/* Of a process, 0: this one; or of one of its threads, unless that is 0.  By bare system calls: the
 * program may have its own open().  False if it cannot be read.  Keeps errno. */
bool procstat_read(struct procstat *stat, pid_t pid, pid_t thread);

/* Where that field begins: the name, the second, may have blanks.  NULL if there is none. */
const char *procstat_field(const struct procstat *stat, enum procstat_field field);

/* SPDX-License-Identifier: MIT */
/*
 * proc.h - reads files of /proc and the like.
 *
 * By bare system calls: the program may have its own open(), and one that is cancelled in open() or
 * read() would end in the middle of the recorder.  Without stdio, which takes more of a small stack
 * than there may be.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The beginning of a file, as far as it fits, and a 0.  False if there is none.  Any thread; keeps
 * errno, as the next one does. */
bool proc_text(const char *path, char *out, size_t room);
/* Of a process, 0: this one; or of one of its threads, unless that is 0. */
bool proc_text_of(pid_t pid, pid_t thread, const char *file, char *out, size_t room);

/* The lines of a file of any length; 8 KiB are too much for some stacks. */
struct proc_lines {
	int fd;
	size_t at, n;
	char piece[4096];
	char line[4096]; /* without its end; what is longer is cut */
};
bool proc_lines_open(struct proc_lines *lines, const char *path);
bool proc_lines_next(struct proc_lines *lines);
void proc_lines_close(struct proc_lines *lines);

/* Has `each` called with each entry of a folder whose name is a number, until it says false.  False
 * if it did, or the folder cannot be read. */
bool proc_numbers(const char *folder, bool (*each)(void *arg, uint32_t number), void *arg);

/* ---- what /proc/PID/stat says ---- */

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

/* As proc_text_of(). */
bool procstat_read(struct procstat *stat, pid_t pid, pid_t thread);

/* Where that field begins: the name, the second, may have blanks.  NULL if there is none. */
const char *procstat_field(const struct procstat *stat, enum procstat_field field);

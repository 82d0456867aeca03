/* SPDX-License-Identifier: MIT */
/*
 * launched.h - what record learns of processes below it that its collector does not see.
 *
 * record holds shared memory: TPTRACE_LAUNCHED is "PID PATH", the program's process and
 * /proc/RECORD/fd/N; "PID" alone under record --inside, where record has become the program.  A
 * process that has a trace although it cannot reach the collector, or has a record of its own in
 * between, ticks a word of it.  And processes say there what they execute, and how they ended
 * without a task: so record knows why it saw none (tools/launch/why_none.h).  Where /proc does not
 * have that memory, nobody says anything.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAUNCHED_VARIABLE "TPTRACE_LAUNCHED"
#define LAUNCHED_PROGRAMS 128u /* the last ones are kept */

enum launched_flag {
	LAUNCHED_EXECUTED = 1, /* a process with our libraries executes it, .. */
	LAUNCHED_BARE = 2,     /* .. without these in LD_PRELOAD; */
	LAUNCHED_APART = 4,    /* .. where PATH is not this memory: with another /proc, or none */
	LAUNCHED_ENDED = 8,    /* it has come to its end without a task; .. */
	LAUNCHED_NO_TOOL = 16, /* .. OMP_TOOL=disabled was in its environment */
};

enum launched_why {
	LAUNCHED_FILTERED, /* a filter of its own might kill it at a call of the recorder's */
	LAUNCHED_NO_ROOM,  /* its arguments and environment leave none for ours (E2BIG) */
	LAUNCHED_WHYS
};

struct launched_program {
	_Atomic uint32_t flags; /* 0: there is none, or not yet */
	char path[196];		/* of its file */
	char runtime[56]; /* ENDED: the file name of a task runtime that it had; "": of none */
};

struct launched {
	_Atomic uint32_t ticked;
	_Atomic uint32_t n_unrecorded[LAUNCHED_WHYS]; /* processes */
	_Atomic uint32_t n_programs; /* that were ever said */
	struct launched_program program[LAUNCHED_PROGRAMS];
};

/* Makes the memory, and the PATH; the descriptor, close-on-exec, or -1. */
int launched_make(char *path, size_t room);

/*
 * The memory of a descriptor, and by what the variable says; it stays mapped.  NULL for -1, NULL,
 * and without memory: then record says less than it could, or more.  By bare system calls: also
 * before constructors.
 */
struct launched *launched_map(int fd);
struct launched *launched_map_by(const char *value);

void launched_tick(struct launched *launched); /* NULL is fine */

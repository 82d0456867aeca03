/* SPDX-License-Identifier: MIT */
/*
 * marks_page.h - what the probe `marks` finds, for `tptrace check-marks`, in a file that both map.
 *
 * The command makes the file and names it in TPTRACE_CHECK_MARKS.  Several processes may write to
 * it, each of them holding its own lock; the command only reads.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define MARKS_VARIABLE "TPTRACE_CHECK_MARKS"
#define MARKS_WRONGS 128u /* different ones; further ones are counted */
#define MARKS_PATH 1000u

/* W(id, what the mark is, what is true of `other`; NULL: there is no other) */
#define MARKS_WRONG(W)                                                                             \
	W(BEGIN_UNCREATED, "begin of a task that was not created", NULL)                           \
	W(BEGIN_AGAIN, "second begin of a task", "it began")                                       \
	W(BEGIN_DISCARDED, "begin of a discarded task", "it was discarded")                        \
	W(BEGIN_EARLY, "begin of a task before one that it comes after has ended",                 \
	  "that one was created")                                                                  \
	W(BEGIN_UNRELEASED, "begin of a task before the object that it needs was released",        \
	  "the task was created")                                                                  \
	W(END_NOTHING, "end without a begin", NULL)                                                \
	W(END_AGAIN, "second end of a task", "it ended")                                           \
	W(END_LEFT, "end of a task that left its code and was not resumed", "it left")             \
	W(END_ELSEWHERE, "end of a task that runs on another thread", "it began, or was resumed,") \
	W(END_BELOW, "end of a task below another one", "the other one began, or was resumed,")    \
	W(RESUME_NOTHING, "resume without a create, wait or release", NULL)                        \
	W(RESUME_AGAIN, "second resume", "the first was")                                          \
	W(RESUME_EARLY, "resume of a task before what it waits for has ended",                     \
	  "a task that has not was created")                                                       \
	W(RESUME_UNRELEASED, "resume of a task before the object that it waits for was released",  \
	  "it waits")                                                                              \
	W(LEAVES_AGAIN, "create or wait by a task that left its code and was not resumed",         \
	  "it left")                                                                               \
	W(LEAVES_NOTHING, "create or wait in no task, on a thread that runs tasks", NULL)          \
	W(HERE_IN_USE, "tptrace_here by which a task left that was not resumed", "it left")        \
	W(LATE, "group, after, needs, access or data behind the resume of the task's creator",     \
	  "the task was created")                                                                  \
	W(UNKNOWN, "mark that names a task that was not created", NULL)                            \
	W(NO_ACCESS, "access that is none of enum tptrace_access", NULL)                           \
	W(NO_CLOCK, "operation of a device whose clock was not marked", NULL)                      \
	W(ENDS_EARLY, "operation that ends before it begins", NULL)                                \
	W(RELEASES_EARLY, "release_by a task that has not ended", "it was created")                \
	W(DISCARDS_BEGUN, "discard of a task that has begun, or was discarded",                    \
	  "the task was created")                                                                  \
	W(NEVER_BEGAN, "task that was created here had neither begun nor been discarded at exit",  \
	  NULL)                                                                                    \
	W(NEVER_ENDED, "task that began here had not ended at exit", "it was created")             \
	W(NEVER_RESUMED, "task that left its code here was not resumed until exit", NULL)

enum marks_wrong {
#define MARKS_ID(id, what, other) MARKS_##id,
	MARKS_WRONG(MARKS_ID)
#undef MARKS_ID
		MARKS_KINDS
};

/* A code address, and the module that has it at bias + ELF vaddr. */
struct marks_place {
	uint64_t address, bias; /* 0: there is no place */
	char path[MARKS_PATH];	/* "": not known */
};

struct marks_found {
	_Atomic uint32_t is_set; /* last */
	_Atomic uint32_t n;
	uint32_t what; /* enum marks_wrong */
	struct marks_place at, other;
};

struct marks_page {
	_Atomic uint64_t n_marks, n_tasks, n_wrong;
	_Atomic uint32_t n_found; /* taken; may be more than there is room for */
	struct marks_found found[MARKS_WRONGS];
};

/* SPDX-License-Identifier: MIT */
/*
 * checked.h - runs a program with the probe `marks` in place of the recorder, and looks at what the
 * probe finds while the program runs.
 *
 * One thread.  Ctrl-C goes to the program, which shares the terminal.
 */
#pragma once

#include "collector/trace/err.h"
#include "preload/probes/marks/marks_page.h"

/* After the run. */
struct checked {
	uint64_t n_marks, n_tasks, n_wrong;
	uint32_t n_found; /* may be more than were shown */
	int status;	  /* of the program, as wait() has it */
};

#define CHECKED_LIBRARY "libtpprobe_marks.so"

/*
 * Preloads the library of that directory.  show() is called for each thing found, soon after it
 * was.  0, or -errno and *err if the program could not be started.
 */
int checked_run(char **command, const char *directory,
		void (*show)(void *context, const struct marks_found *found), void *context,
		struct checked *checked, struct err *err);

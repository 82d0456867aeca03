/* SPDX-License-Identifier: MIT */
/*
 * recover.h - gets back what the rings of a killed process hold.
 *
 * A process that collects by itself keeps its rings in a ring file (preload/shared.h), and its
 * trace names that.  Both are read here into memory of our own before anything is believed of
 * them: neither what lies in them nor who changes them meanwhile can do harm.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/err.h"

#define RECOVER_FOLDER "/dev/shm" /* where ring files are, .. */
#define RECOVER_PREFIX "tptrace." /* .. and how they are called */

struct recovered {
	char trace[4096];
	uint64_t n_events; /* that were got back */
	uint64_t n_in_all; /* that the trace holds now */
	uint32_t n_bad;	   /* workers whose ring makes no sense, or was not in the file */
};

/*
 * Path is a trace without its end, or a ring file.  Appends what the rings hold to the trace, ends
 * it, and removes the ring file.  0 or -errno and *err; -EBUSY if the process still lives.  A trace
 * that fails to grow is cut back to what it was.
 */
int recover(const char *path, struct recovered *out, struct err *err);

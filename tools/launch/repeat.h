/* SPDX-License-Identifier: MIT */
/*
 * repeat.h - runs something several times, one after the other, each time in a process of its own.
 *
 * This process waits.  It stops and goes on with the other.  Signals that it is sent go on to that;
 * those that end programs also end the series.  One thread.
 */
#pragma once

#include <limits.h>
#include "collector/trace/err.h"

/*
 * once(context, i), i from 1 to n, runs in a child and gives its exit status.  Returns the status
 * of the first that failed, or dies of the signal that it died of; 0.  A child that exits with 125
 * to 127 could not begin, and is the last.
 */
int repeat(unsigned n, int (*once)(void *context, unsigned i), void *context);

#define SERIES_PATH (PATH_MAX + 64)

struct series_names {
	char folder[PATH_MAX]; /* of the traces; "" if `stem` is a path */
	char stem[PATH_MAX];   /* of the names, up to the run's number */
	char tail[16];	       /* behind it */
	int digits;	       /* of the number */
};

/*
 * By what -o said: a name that ends in .tpt gets a number before that; anything else is a
 * directory, which is made if it does not exist; NULL or "": a new one, named after the program.
 * 0, or -errno and *err.
 */
int series_open(struct series_names *names, const char *output, const char *program, unsigned n,
		struct err *err);

/* What TPTRACE_OUTPUT has to be for run i, from 1 on.  Returns out. */
char *series_output(char out[SERIES_PATH], const struct series_names *names, unsigned i);

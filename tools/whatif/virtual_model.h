/* SPDX-License-Identifier: MIT */
/*
 * virtual_model.h - for `tptrace record --virtual`: from a trace, how long strands of each kind and
 * calls of the runtime take, as the recorder reads it (preload/probes/virtual/virtual_file.h).
 *
 * Times are drawn as by `tptrace simulate --fit`: the best family, or the times themselves, the
 * first on each worker apart.  Of groups that are too small for that, times come in turn.
 */
#pragma once

#include "tools/run/run.h"

#define VIRTUAL_WORKERS_MOST 4000u

/* A factor from 0 to 1000, as `0`, `0.5`. */
bool virtual_costs_is(const char *text);

/* What `tptrace record` was asked for. */
struct virtual_asked {
	const char *model; /* NULL: time is that of a clock */
	const char *seed, *costs, *workers;
	char path[64]; /* of the file, once it is there */
};

/* Sets the variables for the program, and makes the file.  0, or the exit status, and what is wrong
 * was told. */
int virtual_set(struct virtual_asked *asked);
void virtual_clear(const struct virtual_asked *asked); /* removes the file */

/* SPDX-License-Identifier: MIT */
/*
 * head_tail.h - head and tail: the time of the process before the first activity of a runtime, and
 * after the last.
 *
 * Either is unknown where the trace does not say when the process began or ended, or where
 * something may have happened there that was not recorded: recording was off, events were lost,
 * the trace goes on with another's.
 */
#pragma once

#include <stdio.h>
#include "tools/run/run.h"

struct end_time {
	bool known;
	uint64_t ns;
};

struct ends {
	struct end_time head, tail;
};

struct ends ends_of(const struct run *run);

/* A sentence, if they are a hundredth of the process's time or more; elapsed_ns is between them. */
void ends_put(FILE *out, const struct ends *ends, uint64_t elapsed_ns);

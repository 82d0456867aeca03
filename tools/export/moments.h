/* SPDX-License-Identifier: MIT */
/*
 * moments.h - what each worker was in, how many strands ran and were ready, as time goes by.
 *
 * All of it comes from the report's sweep, in the order of the times of what is told last: a state
 * is told when it is over.  `of` may have NULL for what nobody wants to hear.  Times are ns since
 * the window began.  Only what lies in the selected time, at least partly, is told.
 */
#pragma once

#include "tools/export/export.h"

enum moment_count {
	MOMENT_RUNNING, /* strands that run; a collapsed one counts as one */
	MOMENT_READY,	/* strands that are ready */
	MOMENT_HELD,	/* those of them whose releaser ended on that worker */
	MOMENT_BUSY	/* 1: the worker runs a strand; 0: none */
};

struct moments {
	void *context;
	/* A worker was in one state from then to then; from < to. */
	void (*state)(void *context, uint32_t worker, enum state state, uint64_t from_ns,
		      uint64_t to_ns);
	/* There are so many from now on; the worker is 0 of what is of none. */
	void (*count)(void *context, enum moment_count what, uint32_t worker, uint64_t ns,
		      uint64_t n);
};

void moments_tell(const struct export *export, const struct moments *of);

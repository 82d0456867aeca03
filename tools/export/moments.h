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

struct moments {
	void *context;
	/* A worker was in one state from then to then; from < to. */
	void (*state)(void *context, uint32_t worker, enum state state, uint64_t from_ns,
		      uint64_t to_ns);
	/* From now on so many strands run (a collapsed one counts as one), and are ready. */
	void (*running)(void *context, uint64_t ns, uint64_t n);
	void (*ready)(void *context, uint64_t ns, uint64_t n);
	/* And so many are ready whose releaser ended on that worker. */
	void (*held)(void *context, uint64_t ns, uint32_t worker, uint64_t n);
	/* Whether that worker runs a strand. */
	void (*busy)(void *context, uint64_t ns, uint32_t worker, bool busy);
};

int moments_tell(const struct export *export, const struct moments *of); /* 0 or -ENOMEM */

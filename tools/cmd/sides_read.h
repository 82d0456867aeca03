/* SPDX-License-Identifier: MIT */
/* sides_read.h - reads the traces that the sides of a diff were given. */
#pragma once

#include "tools/team/runs.h"
#include "tools/cmd/sides.h"

/* What a side was given; its jobs are its runs. */
struct given {
	struct inputs inputs;
	uint32_t n_jobs;
};

/*
 * Puts the runs of given[s] into side[s], those of several traces with the team.  A single trace is
 * read here, with its lineage.  0, or -errno and *err; err->text is empty if all is said on stderr.
 */
int sides_read(struct sides *sides, struct given *given, const struct sides_wanted *wanted,
	       struct team *team, struct err *err);

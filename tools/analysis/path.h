/* SPDX-License-Identifier: MIT */
/*
 * path.h - the ready path: from the last strand to end, back, each time to the predecessor that
 * ended last.  Along it something is always running or ready.  [DESIGN: ready path; Huynh and
 * Taura 2017, Delay Spotter]
 */
#pragma once

#include "tools/dag/dag.h"

struct path {
	strand_id *strand; /* from the first to the last; barrier nodes are left out */
	uint32_t n;
};

/*
 * From the last strand of these runtimes (bits; PATH_ALL: of the process), through whatever
 * released it.  0 or -ENOMEM.
 */
#define PATH_ALL UINT16_MAX
int path_build(struct path *path, const struct dag *dag, uint16_t runtimes);
void path_free(struct path *path);

/* The strand whose end let this one start: its releaser, or, through barriers, theirs.  `hint`
 * is dag_extras()'s. */
strand_id path_released_by(const struct dag *dag, strand_id s, uint32_t *hint);

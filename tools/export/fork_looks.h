/* SPDX-License-Identifier: MIT */
/* fork_looks.h - how nodes of a graph look: the same in DOT and GraphML. */
#pragma once

#include "tools/export/forks.h"

#define FORKS_LABEL (EXPORT_NAME + 100)
/* Of a task its name, how many it stands for, and their work; "^" and "*" of forks and joins. */
const char *fork_label(const struct export *export, const struct fork_node *node,
		       char out[FORKS_LABEL]);

/* Green and coral; of a task from red to blue, by its parallel benefit; grey: not known. */
const char *fork_color(const struct export *export, const struct fork_node *node);

/* As in the grain-graph prototype: a task's height is its work in ten steps.  In points. */
unsigned fork_width(const struct fork_node *node);
unsigned fork_height(const struct forks *graph, const struct fork_node *node);

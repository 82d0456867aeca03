/* SPDX-License-Identifier: MIT */
/* plot_many.h - what a picture of several traces needs of each, read with the team. */
#pragma once

#include "tools/analysis/phases.h"
#include "tools/team/team.h"
#include "tools/plot/plot.h"

struct plot_wanted {
	struct phases_wanted phases;
	uint32_t bounds; /* plot_traces_add() */
};

/* Of team.h, on one trace; context is the plot_wanted. */
int plot_piece(void *context, const char *path, FILE *result);

/* Opens, and adds, a trace that is read here.  0, or -errno and *err; *damaged as warn_of(). */
int plot_read(struct plot_traces *traces, const char *path, const struct plot_wanted *wanted,
	      bool *damaged, struct err *err);

/*
 * Of all traces that the arguments name, files and directories, in the order of the arguments.
 * *n_bad of them are left out, or damaged, which is said on stderr.  0, or -errno and *err.
 */
int plot_read_all(struct plot_traces *traces, struct team *team, char **argument, int n,
		  uint32_t *n_bad, struct err *err);

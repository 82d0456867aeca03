/* SPDX-License-Identifier: MIT */
/* pictures.h - each kind of picture: plot.h says what they take.  0 or -ENOMEM. */
#pragma once

#include "tools/plot/plot.h"

int profile_picture(struct picture *picture, FILE *csv, const struct summary *summary);
/* arcs: bits of enum arc_what.  *err says more if there are too many. */
int timelines_picture(struct picture *picture, FILE *csv, const struct summary *summary,
		      unsigned arcs, struct err *err);
int histogram_picture(struct picture *picture, FILE *csv, const struct summary *summary);
int steals_picture(struct picture *picture, FILE *csv, const struct summary *summary);

/* The bars are components, or states. */
int bars_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces, bool states);
int losses_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);
int speedup_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);

/* So high, unless somebody said how high. */
static inline void picture_be_high(struct picture *picture, double points)
{
	if (picture->height == 0)
		picture->height = points;
}

/* SPDX-License-Identifier: MIT */
/* pictures.h - each kind of picture: plot.h says what they take. */
#pragma once

#include "tools/plot/plot.h"

void profile_picture(struct picture *picture, FILE *csv, const struct summary *summary);
/* arcs: bits of enum arc_what.  *err says more if there are too many. */
int timelines_picture(struct picture *picture, FILE *csv, const struct summary *summary,
		      unsigned arcs, struct err *err);
void histogram_picture(struct picture *picture, FILE *csv, const struct summary *summary);
void steals_picture(struct picture *picture, FILE *csv, const struct summary *summary);

/* The bars are components, or states. */
void bars_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces,
		  bool states);
void losses_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);
void speedup_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces);

/* So high, unless somebody said how high. */
static inline void picture_be_high(struct picture *picture, double points)
{
	if (picture->height == 0)
		picture->height = points;
}

/* SPDX-License-Identifier: MIT */
/*
 * draw.h - a picture as a file: svg, pdf and png from the same calls of cairo.
 *
 * Text becomes outlines in svg, and a font inside of pdf, so that both look alike everywhere.
 */
#pragma once

#include <stdio.h>
#include "collector/trace/err.h"
#include "tools/plot/picture.h"

enum draw_format { DRAW_SVG, DRAW_PDF, DRAW_PNG, DRAW_FORMATS };
extern const char *const draw_format_name[DRAW_FORMATS]; /* "svg", .. */

/* Loads cairo; before the first of all others.  0, or -errno and *err. */
int draw_open(struct err *err);

/* `dpi`: of png.  0, or -errno and *err.  What fails to arrive in `out` is its ferror() alone. */
int draw_picture(FILE *out, const struct picture *picture, enum draw_format format, double dpi,
		 struct err *err);

/* How wide a text is in the picture's font, in points; 0 without draw_open(): nothing is drawn. */
double draw_text_width(const struct picture *picture, const char *text);

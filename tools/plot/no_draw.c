/* SPDX-License-Identifier: MIT */
/* no_draw.c - in place of draw.c where cairo is missing: only the numbers of plots are written. */
#include "tools/plot/draw.h"

#include <errno.h>

const char *const draw_format_name[DRAW_FORMATS] = { "svg", "pdf", "png" };

int draw_open(struct err *err)
{
	return err_set(err, ENOENT, "this build cannot draw: cairo was missing");
}

int draw_picture(FILE *out, const struct picture *picture, enum draw_format format, double dpi,
		 struct err *err)
{
	(void)out;
	(void)picture;
	(void)format;
	(void)dpi;
	return draw_open(err);
}

double draw_text_width(const struct picture *picture, const char *text)
{
	(void)picture;
	(void)text;
	return 0;
}

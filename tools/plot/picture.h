/* SPDX-License-Identifier: MIT */
/*
 * picture.h - a picture is a list of marks: areas, lines and text.  Later ones cover earlier ones.
 *
 * Lengths are points (1/72 inch), x to the right and y downwards from the top left corner.  Colours
 * are 0xRRGGBB.  Nothing here fails.  One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PICTURE_MM (72 / 25.4) /* points in a millimetre */

struct point {
	double x, y;
};

enum mark_what { MARK_AREA, MARK_LINE, MARK_TEXT };
enum align { ALIGN_LEFT, ALIGN_MIDDLE, ALIGN_RIGHT };

struct mark {
	enum mark_what what;
	uint32_t colour;
	double size;		 /* of a line: how wide; of text: of its font */
	uint32_t first, n;	 /* its points; of text: where its base line is aligned */
	char *text;		 /* UTF-8 without control characters */
	enum align align;
	bool upwards; /* text is turned to the left */
	bool dashed;
};

struct picture {
	double width, height;
	const char *font; /* a family, as fontconfig names it; borrowed */
	double font_size;
	struct mark *mark;
	struct point *point;
	uint32_t n, n_points;
	uint64_t room, room_points;
};

void picture_free(struct picture *picture); /* a zeroed one is fine */

/* A filled polygon; nothing if it is not at least a line wide. */
void picture_area(struct picture *picture, uint32_t colour, const struct point *point, uint32_t n);
void picture_rect(struct picture *picture, uint32_t colour, double x, double y, double width,
		  double height);
/* Through all points. */
void picture_line(struct picture *picture, uint32_t colour, double width, bool dashed,
		  const struct point *point, uint32_t n);
/* One from a to b. */
void picture_stroke(struct picture *picture, uint32_t colour, double width, struct point a,
		    struct point b);

/* What is not plain in `text` becomes `?`. */
void picture_text(struct picture *picture, uint32_t colour, struct point at, enum align align,
		  const char *text);
/* From bottom to top. */
void picture_text_upwards(struct picture *picture, uint32_t colour, struct point at,
			  const char *text);

/* SPDX-License-Identifier: MIT */
/* picture.c - keeps marks, and their points, in two arrays. */
#include "tools/plot/picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/base/map.h"
#include "tools/base/written.h"
#include "tools/table/put.h"
#include "tools/plot/colours.h"

void picture_free(struct picture *picture)
{
	for (uint32_t i = 0; i < picture->n; i++)
		free(picture->mark[i].text);
	free(picture->mark);
	free(picture->point);
	*picture = (struct picture){ 0 };
}

/* A new mark with these points. */
static struct mark *add(struct picture *picture, enum mark_what what, uint32_t colour,
			const struct point *point, uint32_t n)
{
	uint64_t n_points = (uint64_t)picture->n_points + n;

	if (n_points > UINT32_MAX)
		too_many("points in a picture");
	array_grow(&picture->mark, &picture->room, picture->n + 1ull, sizeof(*picture->mark));
	array_grow(&picture->point, &picture->room_points, n_points, sizeof(*point));
	picture->mark[picture->n] =
		(struct mark){ .what = what, .colour = colour, .first = picture->n_points, .n = n };
	for (uint32_t i = 0; i < n; i++)
		picture->point[picture->n_points++] = point[i];
	return &picture->mark[picture->n++];
}

void picture_area(struct picture *picture, uint32_t colour, const struct point *point, uint32_t n)
{
	if (n > 2)
		add(picture, MARK_AREA, colour, point, n);
}

void picture_rect(struct picture *picture, uint32_t colour, double x, double y, double width,
		  double height)
{
	struct point corner[] = {
		{ x, y }, { x + width, y }, { x + width, y + height }, { x, y + height }
	};

	if (width > 0 && height > 0)
		add(picture, MARK_AREA, colour, corner, 4);
}

void picture_line(struct picture *picture, uint32_t colour, double width, bool dashed,
		  const struct point *point, uint32_t n)
{
	struct mark *mark = n > 1 ? add(picture, MARK_LINE, colour, point, n) : NULL;

	if (mark) {
		mark->size = width;
		mark->dashed = dashed;
	}
}

void picture_stroke(struct picture *picture, uint32_t colour, double width, struct point a,
		    struct point b)
{
	picture_line(picture, colour, width, false, (struct point[]){ a, b }, 2);
}

static void put_plain(FILE *out, const void *text)
{
	put_text(out, text);
}

static struct mark *add_text(struct picture *picture, uint32_t colour, struct point at,
			     const char *text)
{
	struct mark *mark = add(picture, MARK_TEXT, colour, &at, 1);

	mark->size = picture->font_size;
	mark->text = written(put_plain, text, NULL);
	return mark;
}

void picture_text(struct picture *picture, uint32_t colour, struct point at, enum align align,
		  const char *text)
{
	struct mark *mark = add_text(picture, colour, at, text);

	mark->align = align;
}

void picture_text_upwards(struct picture *picture, uint32_t colour, struct point at,
			  const char *text)
{
	struct mark *mark = add_text(picture, colour, at, text);

	mark->align = ALIGN_MIDDLE;
	mark->upwards = true;
}

/* ---- colours ---- */

const uint32_t colour_of_kind[COLOUR_KINDS] = {
	0x0072b2, 0x009e73, 0x56b4e9, 0xcc79a7, 0xe3c800, 0x332288, 0x999933, 0x882255,
};

const uint32_t colour_of_state[STATES] = {
	[STATE_RUNNING] = 0x0072b2, [STATE_RUNTIME] = 0x7c7f86, [STATE_BLOCKED] = 0xd55e00,
	[STATE_IDLE] = 0xe9ebee,    [STATE_TRACER] = 0xb9b9c4,	[STATE_MESSAGE] = 0xcc79a7,
	[STATE_DEVICE] = 0x009e73,
};

const enum state states_drawn[STATES_DRAWN] = { STATE_RUNTIME, STATE_BLOCKED, STATE_MESSAGE,
						STATE_DEVICE, STATE_TRACER };

const uint32_t colour_of_component[COMPONENTS] = {
	[OF_TOTAL_WORK] = 0x37474f,
	[OF_DELAY] = 0x8c510a,
	[OF_NO_WORK_SCHED] = 0xd8b365,
	[OF_NO_WORK_APP] = 0xc3c9d1,
};

/* SPDX-License-Identifier: MIT */
/* steals.c - who stole from whom, as a matrix: a row for each victim, a column for each thief. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/draw.h"
#include "tools/plot/pictures.h"

#define STEALS_COLOUR 0x0072b2u

/* White for none, to the colour for the most. */
static uint32_t shade(double share)
{
	uint32_t out = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double full = STEALS_COLOUR >> shift & 255;

		out = out << 8 | (uint32_t)(255 - (255 - full) * (.12 + .88 * share) + .5);
	}
	return out;
}

static void put_steals_csv(FILE *csv, const struct distributions *all)
{
	fputs("thief,victim,steals,ready_ns\n", csv);
	for (uint64_t i = 0; i < all->n_pairs; i++)
		fprintf(csv, "%u,%u,%" PRIu64 ",%" PRIu64 "\n", all->pair[i].thief,
			all->pair[i].victim, all->pair[i].n, all->pair[i].ns);
}

static void put_pair(struct picture *picture, const struct frame *frame, double side,
		     const struct steal_pair *pair, uint64_t most)
{
	double share = (double)pair->n / (double)most;
	double x = frame->left + side * pair->thief, y = frame->top + side * pair->victim;
	char text[24];

	picture_rect(picture, shade(share), x, y, side, side);
	snprintf(text, sizeof(text), "%" PRIu64, pair->n);
	if (draw_text_width(picture, text) < side * .9 && side > picture->font_size)
		picture_text(
			picture, share > .5 ? COLOUR_PAPER : COLOUR_INK,
			(struct point){ x + side / 2, y + side / 2 + picture->font_size * .35 },
			ALIGN_MIDDLE, text);
}

static void put_workers(struct picture *picture, const struct frame *frame, double side, uint32_t n)
{
	double size = picture->font_size;
	uint32_t step = axes_every(side, size * 2);
	char text[16];

	for (uint32_t w = 0; w < n; w += step) {
		double middle = side * (w + .5);

		snprintf(text, sizeof(text), "%u", w);
		picture_text(picture, COLOUR_INK,
			     (struct point){ frame->left + middle,
					     frame->top + frame->height + size * 1.2 },
			     ALIGN_MIDDLE, text);
		picture_text(
			picture, COLOUR_INK,
			(struct point){ frame->left - size * .4, frame->top + middle + size * .35 },
			ALIGN_RIGHT, text);
	}
	picture_line(picture, COLOUR_FAINT, .5, false,
		     (struct point[]){ { frame->left, frame->top },
				       { frame->left + frame->width, frame->top },
				       { frame->left + frame->width, frame->top + frame->height },
				       { frame->left, frame->top + frame->height },
				       { frame->left, frame->top } },
		     5);
}

void steals_picture(struct picture *picture, FILE *csv, const struct summary *summary)
{
	const struct distributions *all = &summary->distributions;
	uint32_t n = summary->dag->n_slots ? summary->dag->n_slots : 1;
	double size = picture->font_size, side;
	struct frame frame;

	picture_be_high(picture, fmin(picture->width, size * (6 + 3.2 * n)));
	frame = axes_frame(picture);
	axes_room_below(picture, &frame);
	frame.left += size * 4.5;
	frame.width -= size * 4.5;
	side = fmin(frame.width, frame.height) / n;
	frame.width = frame.height = side * n;
	for (uint64_t i = 0; i < all->n_pairs; i++)
		put_pair(picture, &frame, side, &all->pair[i], all->pair[0].n);
	put_workers(picture, &frame, side, n);
	axes_title_x(picture, &frame, "thief");
	axes_title_y(picture, &frame, "victim");
	if (csv)
		put_steals_csv(csv, all);
}

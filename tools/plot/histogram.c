/* SPDX-License-Identifier: MIT */
/* histogram.c - how long tasks are, by kind: a step for each power of two; who stole from whom. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tools/base/units.h"
#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/plot.h"
#include "tools/table/put.h"
#include "tools/view/bins.h"
#include "tools/plot/draw.h"

#define POWERS 65u /* [0], then [2^(i-1), 2^i) */

struct steps {
	uint64_t n[POWERS];
};

static unsigned power_of(uint64_t ns)
{
	return ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
}

static uint64_t power_least(unsigned power)
{
	return power ? UINT64_C(1) << (power - 1) : 0;
}

static void add_kind(struct steps *steps, const struct summary *summary, kind_id kind)
{
	const struct spreads *spreads = &summary->distributions.spreads;
	const struct spread *spread = &spreads->row[distribution_row(kind, OF_WORK)];

	for (uint32_t i = 0; i < spread->n_bins; i++) {
		const struct spread_bin *bin = &spreads->bin[spread->first_bin + i];

		steps->n[power_of(wire_bucket_least(bin->bucket))] += bin->n;
	}
}

static void put_csv(FILE *csv, const struct summary *summary)
{
	fputs("kind,place,from_ns,to_ns,tasks\n", csv);
	for (uint32_t r = 0; r < summary->rows.n; r++) {
		const struct kind_row *row = &summary->rows.row[r];
		struct steps steps = { 0 };
		char place[256];

		add_kind(&steps, summary, row->kind);
		for (unsigned i = 0; i < POWERS; i++) {
			if (!steps.n[i])
				continue;
			put_quoted(csv, row->code.name);
			fputc(',', csv);
			put_quoted(csv, place_where(place, sizeof(place), &row->site));
			fprintf(csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", power_least(i),
				i + 1 < POWERS ? power_least(i + 1) : UINT64_MAX, steps.n[i]);
		}
	}
}

/* The kinds with most work, and the rest as one. */
struct histogram {
	struct steps steps[BINS_LEADING + 1];
	struct key key[BINS_LEADING + 1];
	char name[BINS_LEADING + 1][48];
	uint32_t n;
	unsigned first, last; /* powers that any has */
	double most;
};

static void add_steps(struct histogram *histogram, const char *name, uint32_t colour,
		      const struct steps *steps)
{
	uint32_t n = histogram->n;
	uint64_t sum = 0;

	for (unsigned i = 0; i < POWERS; i++)
		sum += steps->n[i];
	if (sum == 0)
		return;
	histogram->steps[n] = *steps;
	axes_shortened(histogram->name[n], sizeof(histogram->name[n]), name);
	histogram->key[n] = (struct key){ histogram->name[n], colour, false };
	histogram->n++;
}

static void gather(struct histogram *histogram, const struct summary *summary)
{
	kind_id leading[BINS_LEADING];
	struct steps others = { 0 };
	char name[256];

	bins_leading(summary, leading);
	for (uint32_t r = 0; r < summary->rows.n; r++)
		add_kind(&others, summary, summary->rows.row[r].kind);
	for (uint32_t i = 0; i < BINS_LEADING && leading[i] != KIND_NONE; i++) {
		struct steps steps = { 0 };

		add_kind(&steps, summary, leading[i]);
		for (unsigned p = 0; p < POWERS; p++)
			others.n[p] -= steps.n[p];
		add_steps(histogram,
			  place_text(name, sizeof(name), &summary->rows.code[leading[i]]),
			  colour_of_kind[i], &steps);
	}
	add_steps(histogram, "other kinds", COLOUR_OTHERS, &others);
}

static void find_range(struct histogram *histogram)
{
	histogram->first = POWERS;
	for (unsigned p = 0; p < POWERS; p++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < histogram->n; i++)
			sum += histogram->steps[i].n[p];
		if (!sum)
			continue;
		if (histogram->first == POWERS)
			histogram->first = p;
		histogram->last = p;
		histogram->most = fmax(histogram->most, (double)sum);
	}
	if (histogram->first == POWERS)
		histogram->first = histogram->last = 0;
}

static void put_step(struct picture *picture, const struct frame *frame, const struct scale *y,
		     const struct histogram *histogram, unsigned p)
{
	double width = frame->width / (histogram->last - histogram->first + 1), sum = 0;
	double left = frame->left + width * (p - histogram->first);

	for (uint32_t i = 0; i < histogram->n; i++) {
		double n = (double)histogram->steps[i].n[p], top = axes_at_y(frame, y, sum + n);

		picture_rect(picture, histogram->key[i].colour, left + width * .06, top,
			     width * .88, axes_at_y(frame, y, sum) - top);
		sum += n;
	}
}

struct lengths {
	const struct histogram *histogram;
	const struct frame *frame;
	double width; /* of a step */
};

static void put_length(struct picture *picture, const struct lengths *all, uint64_t ns)
{
	double power = ns ? 1 + log2((double)ns) : 0, size = picture->font_size;
	double x = all->frame->left + all->width * (power - all->histogram->first);
	double bottom = all->frame->top + all->frame->height;

	picture_stroke(picture, COLOUR_FAINT, .5, (struct point){ x, bottom },
		       (struct point){ x, bottom + size * .3 });
	picture_text(picture, COLOUR_INK, (struct point){ x, bottom + size * 1.3 }, ALIGN_MIDDLE,
		     TIME_TEXT(ns));
}

/* At 1, 10, 100 of each unit; where fewer than two of these are in sight, where steps begin. */
static void put_lengths(struct picture *picture, const struct frame *frame,
			const struct histogram *histogram)
{
	struct lengths all = { histogram, frame,
			       frame->width / (histogram->last - histogram->first + 1) };
	double widest = axes_label_width(picture, "8.88 ms") + picture->font_size;
	double least = (double)power_least(histogram->first), decade = all.width * log2(10);
	double most = ldexp(1, (int)histogram->last), begin = 1;
	double step = pow(10, fmax(1, ceil(widest / decade)));

	while (begin < least)
		begin *= 10;
	if (begin * 10 <= most) {
		for (double ns = begin; ns <= most; ns *= step)
			put_length(picture, &all, (uint64_t)ns);
	} else {
		unsigned each = (unsigned)fmax(1, ceil(widest / all.width));

		for (unsigned p = histogram->first; p <= histogram->last + 1; p += each)
			put_length(picture, &all, power_least(p));
	}
	axes_title_x(picture, frame, "work of a task");
}

void histogram_picture(struct picture *picture, FILE *csv, const struct summary *summary)
{
	struct histogram histogram = { 0 };
	struct frame frame;
	struct scale y;

	gather(&histogram, summary);
	find_range(&histogram);
	picture_be_high(picture, 70 * PICTURE_MM);
	frame = axes_frame(picture);
	axes_key(picture, &frame, histogram.key, histogram.n);
	axes_room_below(picture, &frame);
	y = axes_count(picture, histogram.most * 1.04, frame.height * 1.6, "tasks");
	axes_room_left(picture, &frame, &y);
	frame.width -= picture->font_size * 2;
	axes_y(picture, &frame, &y);
	for (unsigned p = histogram.first; p <= histogram.last; p++)
		put_step(picture, &frame, &y, &histogram, p);
	put_lengths(picture, &frame, &histogram);
	if (csv)
		put_csv(csv, summary);
}

/* ---- steals ---- */

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

/* What shades mean, where squares have no room for their numbers. */
static void put_shades(struct picture *picture, struct frame *frame,
		       const struct distributions *all, uint32_t n)
{
	char most[40];

	if (!all->n_pairs || frame->width / n > picture->font_size * 3 ||
	    frame->height < picture->font_size * 5)
		return;
	snprintf(most, sizeof(most), "%" PRIu64 " steal%s, the most", all->pair[0].n,
		 units_s(all->pair[0].n));
	axes_key(picture, frame,
		 (struct key[]){ { most, shade(1), false },
				 { "1 steal", shade(1 / (double)all->pair[0].n), false } },
		 all->pair[0].n > 1 ? 2 : 1);
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

	picture_be_high(picture, fmin(picture->width + size * 2, size * (6 + 3.2 * n)));
	frame = axes_frame(picture);
	axes_room_below(picture, &frame);
	frame.left += size * 4.5;
	frame.width -= size * 4.5;
	put_shades(picture, &frame, all, n);
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

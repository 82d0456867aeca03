/* SPDX-License-Identifier: MIT */
/* axes.c - places numbers, titles and keys. */
#include "tools/plot/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/trace/plain.h"
#include "tools/base/utf8.h"
#include "tools/plot/colours.h"
#include "tools/plot/draw.h"

#define HAIR .5

struct frame axes_frame(const struct picture *picture)
{
	double margin = picture->font_size * .75;

	/* half of the last number stands out to the right */
	return (struct frame){ margin, margin, picture->width - 2.5 * margin,
			       picture->height - 2 * margin };
}

static void put_key(struct picture *picture, const struct key *key, double x, double y)
{
	double size = picture->font_size * .8;

	if (key->line)
		picture_stroke(picture, key->colour, 1.2, (struct point){ x, y - size / 2 },
			       (struct point){ x + size, y - size / 2 });
	else
		picture_rect(picture, key->colour, x, y - size, size, size);
	picture_text(picture, COLOUR_INK, (struct point){ x + size * 1.4, y }, ALIGN_LEFT,
		     key->name);
}

void axes_key(struct picture *picture, struct frame *frame, const struct key *key, uint32_t n)
{
	double size = picture->font_size, x = 0, y = frame->top + size * .9;

	for (uint32_t i = 0; i < n; i++) {
		double width = size * 2.4 + draw_text_width(picture, key[i].name);

		if (x > 0 && x + width - size > frame->width) {
			x = 0;
			y += size * 1.35;
		}
		put_key(picture, &key[i], frame->left + x, y);
		x += width;
	}
	y += size * .8;
	frame->height -= y - frame->top;
	frame->top = y;
}

/* 1, 2 or 5 times a power of ten, so that at most `most` of them lie in the range. */
static double step_of(double range, double most)
{
	double raw = range / fmax(1, most), power = pow(10, floor(log10(raw)));

	for (int i = 0; i < 3; i++) {
		static const double round_number[] = { 1, 2, 5 };

		if (raw <= round_number[i] * power * (1 + 1e-9))
			return round_number[i] * power;
	}
	return 10 * power;
}

uint32_t axes_every(double apart, double label)
{
	return label > apart ? (uint32_t)ceil(step_of(label / apart, 1)) : 1;
}

struct scale axes_scale(const struct picture *picture, double least, double most, double length,
			const char *title)
{
	if (!(most > least))
		most = least + 1;
	return (struct scale){ .least = least,
			       .most = most,
			       .step = step_of(most - least, length / picture->font_size / 4),
			       .unit = 1,
			       .title = title };
}

struct scale axes_count(const struct picture *picture, double most, double length,
			const char *title)
{
	struct scale scale = axes_scale(picture, 0, most, length, title);

	scale.step = fmax(1, scale.step);
	return scale;
}

struct scale axes_time(const struct picture *picture, double least_ns, double most_ns,
		       double length, const char *what, char room[AXES_TITLE])
{
	static const char *const unit[] = { "ns", "\xc2\xb5s", "ms", "s" };
	struct scale scale = axes_scale(picture, least_ns, most_ns, length, room);
	int u = 0;

	for (; u < 3 && fmax(most_ns, -least_ns) >= 2 * scale.unit * 1000; u++)
		scale.unit *= 1000;
	snprintf(room, AXES_TITLE, what, unit[u]);
	return scale;
}

static void number(char out[32], const struct scale *scale, double value)
{
	value /= scale->unit;
	snprintf(out, 32, "%.10g", fabs(value) < 1e-9 ? 0 : value);
}

static double first_of(const struct scale *scale)
{
	return ceil(scale->least / scale->step - 1e-9) * scale->step;
}

static bool holds(const struct scale *scale, double value)
{
	return value <= scale->most + scale->step * 1e-6;
}

void axes_room_left(const struct picture *picture, struct frame *frame, const struct scale *scale)
{
	double widest = 0, room;
	char text[32];

	for (double v = first_of(scale); holds(scale, v); v += scale->step) {
		number(text, scale, v);
		widest = fmax(widest, draw_text_width(picture, text));
	}
	room = widest + picture->font_size * (scale->title ? 2 : .5);
	frame->left += room;
	frame->width -= room;
}

void axes_room_below(const struct picture *picture, struct frame *frame)
{
	frame->height -= picture->font_size * 2.6;
}

double axes_at_x(const struct frame *frame, const struct scale *scale, double value)
{
	return frame->left +
	       (value - scale->least) / (scale->most - scale->least) * frame->width;
}

double axes_at_y(const struct frame *frame, const struct scale *scale, double value)
{
	return frame->top + frame->height -
	       (value - scale->least) / (scale->most - scale->least) * frame->height;
}

void axes_title_x(struct picture *picture, const struct frame *frame, const char *title)
{
	struct point at = { frame->left + frame->width / 2,
			    frame->top + frame->height + picture->font_size * 2.6 };

	picture_text(picture, COLOUR_INK, at, ALIGN_MIDDLE, title);
}

void axes_title_y(struct picture *picture, const struct frame *frame, const char *title)
{
	struct point at = { picture->font_size * 1.5, frame->top + frame->height / 2 };

	picture_text_upwards(picture, COLOUR_INK, at, title);
}

void axes_x(struct picture *picture, const struct frame *frame, const struct scale *scale)
{
	double bottom = frame->top + frame->height;
	char text[32];

	for (double v = first_of(scale); holds(scale, v); v += scale->step) {
		double x = axes_at_x(frame, scale, v);

		picture_stroke(picture, COLOUR_LINE, HAIR, (struct point){ x, frame->top },
			       (struct point){ x, bottom });
		number(text, scale, v);
		picture_text(picture, COLOUR_INK,
			     (struct point){ x, bottom + picture->font_size * 1.2 }, ALIGN_MIDDLE,
			     text);
	}
	picture_stroke(picture, COLOUR_FAINT, HAIR, (struct point){ frame->left, bottom },
		       (struct point){ frame->left + frame->width, bottom });
	if (scale->title)
		axes_title_x(picture, frame, scale->title);
}

void axes_y(struct picture *picture, const struct frame *frame, const struct scale *scale)
{
	double right = frame->left + frame->width;
	char text[32];

	for (double v = first_of(scale); holds(scale, v); v += scale->step) {
		double y = axes_at_y(frame, scale, v);

		picture_stroke(picture, COLOUR_LINE, HAIR, (struct point){ frame->left, y },
			       (struct point){ right, y });
		number(text, scale, v);
		picture_text(picture, COLOUR_INK,
			     (struct point){ frame->left - picture->font_size * .4,
					     y + picture->font_size * .35 },
			     ALIGN_RIGHT, text);
	}
	picture_stroke(picture, COLOUR_FAINT, HAIR, (struct point){ frame->left, frame->top },
		       (struct point){ frame->left, frame->top + frame->height });
	if (scale->title)
		axes_title_y(picture, frame, scale->title);
}

/* So many of the first characters of a plain text, and of the last. */
static void shorten(char *out, size_t room, const char *text, size_t head, size_t tail)
{
	size_t n = strlen(text);

	head = utf8_part(text, head);
	while (tail && (text[n - tail] & 0xc0) == 0x80)
		tail--;
	snprintf(out, room, "%.*s\xe2\x80\xa6%s", (int)head, text, text + n - tail);
}

#define WHOLE 512 /* bytes of a text */

static char *plain(char whole[WHOLE], const char *text)
{
	snprintf(whole, WHOLE, "%s", text);
	plain_make(whole);
	return whole;
}

void axes_label(struct picture *picture, struct point at, enum align align, const char *text,
		double width)
{
	char whole[WHOLE], part[WHOLE + 8];
	size_t keep;

	snprintf(part, sizeof(part), "%s", plain(whole, text));
	keep = strlen(whole);
	while (keep > 2 && draw_text_width(picture, part) > width) {
		keep -= keep / 16 + 1;
		shorten(part, sizeof(part), whole, keep / 2, keep - keep / 2);
	}
	picture_text(picture, COLOUR_INK, at, align, part);
}

double axes_label_width(const struct picture *picture, const char *text)
{
	char whole[WHOLE];

	return draw_text_width(picture, plain(whole, text));
}

char *axes_shortened(char *out, size_t room, const char *text)
{
	char whole[WHOLE];

	if (strlen(plain(whole, text)) < room)
		snprintf(out, room, "%s", whole);
	else
		shorten(out, room, whole, (room - 4) / 2, (room - 4) / 2);
	return out;
}

/* SPDX-License-Identifier: MIT */
/*
 * axes.h - what stands around the marks: scales with round numbers, titles, and the key of colours.
 *
 * Lengths are points.
 */
#pragma once

#include <stddef.h>
#include "tools/plot/picture.h"

/* Where the marks go.  Begins as the whole picture; what is put around them makes it smaller. */
struct frame {
	double left, top, width, height;
};

struct frame axes_frame(const struct picture *picture);

struct key {
	const char *name;
	uint32_t colour;
	bool line; /* drawn as one */
};

/* Above the frame, in as many lines as needed. */
void axes_key(struct picture *picture, struct frame *frame, const struct key *key, uint32_t n);

/* A scale from 0, or from `least`, to `most`. */
struct scale {
	double least, most, step; /* step: between two numbers */
	double unit;		  /* numbers are values divided by it */
	const char *title;	  /* borrowed; NULL: none */
};

/* `length`: of the axis, in points. */
struct scale axes_scale(const struct picture *picture, double least, double most, double length,
			const char *title);
/* Of things that are counted, from 0. */
struct scale axes_count(const struct picture *picture, double most, double length,
			const char *title);
/* Of ns: the title ends in the unit, written to `room`. */
#define AXES_TITLE 64
struct scale axes_time(const struct picture *picture, double least_ns, double most_ns,
		       double length, const char *what, char room[AXES_TITLE]);

/* Of rows or columns so far apart: each how many-th has a label, a round number. */
uint32_t axes_every(double apart, double label);

/* Makes room on the left: for numbers and a title, or for texts so wide; and below. */
void axes_room_left(const struct picture *picture, struct frame *frame, const struct scale *scale);
void axes_room_below(const struct picture *picture, struct frame *frame);

/* Numbers, with lines through the frame at them. */
void axes_x(struct picture *picture, const struct frame *frame, const struct scale *scale);
void axes_y(struct picture *picture, const struct frame *frame, const struct scale *scale);
void axes_title_x(struct picture *picture, const struct frame *frame, const char *title);
void axes_title_y(struct picture *picture, const struct frame *frame, const char *title);

/* Where a value lies. */
double axes_at_x(const struct frame *frame, const struct scale *scale, double value);
double axes_at_y(const struct frame *frame, const struct scale *scale, double value);

/* The text, shortened in its middle to be at most so wide. */
void axes_label(struct picture *picture, struct point at, enum align align, const char *text,
		double width);
/* How wide all of it is. */
double axes_label_width(const struct picture *picture, const char *text);

/* The text, plain, at most room - 1 bytes of it: its begin and its end.  Returns out. */
char *axes_shortened(char *out, size_t room, const char *text);

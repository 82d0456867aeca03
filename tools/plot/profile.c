/* SPDX-License-Identifier: MIT */
/* profile.c - parallelism as time goes by: what workers were in, and above it what was ready. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/analysis/apportion.h"
#include "tools/base/xalloc.h"
#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/plot.h"

#define ORDER (STATES_DRAWN + 1)

/* From the bottom up. */
static enum state state_at(size_t level)
{
	return level ? states_drawn[level - 1] : STATE_RUNNING;
}

/* ---- numbers ---- */

/* By state and cell, in ns; each state adds up to the breakdown's. */
typedef uint64_t columns[STATES][COURSE_CELLS];

static void apportion_states(columns out, const struct breakdown *breakdown)
{
	uint64_t share[COURSE_CELLS];

	for (int s = 0; s < STATES; s++) {
		for (uint32_t i = 0; i < COURSE_CELLS; i++)
			share[i] = (uint64_t)llround(fmax(0, breakdown->course.cell[i].n_in[s]));
		apportion(charge_sum(&breakdown->state[s]), share, COURSE_CELLS, out[s]);
	}
}

static uint64_t cell_from(const struct course *course, uint32_t i)
{
	return course->from_ns +
	       (uint64_t)((unsigned __int128)(course->to_ns - course->from_ns) * i / COURSE_CELLS);
}

static void put_csv(FILE *csv, const struct breakdown *breakdown)
{
	const struct course *course = &breakdown->course;
	uint64_t(*ns)[COURSE_CELLS] = xcalloc(STATES, sizeof(*ns));

	apportion_states(ns, breakdown);

	fputs("from_ns,to_ns", csv);
	for (int s = 0; s < STATES; s++)
		if (state_seen(breakdown->state, s))
			fprintf(csv, ",%s_ns", state_name[s]);
	fputs(",ready_ns\n", csv);
	for (uint32_t i = 0; i < COURSE_CELLS; i++) {
		fprintf(csv, "%" PRIu64 ",%" PRIu64, cell_from(course, i),
			cell_from(course, i + 1));
		for (int s = 0; s < STATES; s++)
			if (state_seen(breakdown->state, s))
				fprintf(csv, ",%" PRIu64, ns[s][i]);
		fprintf(csv, ",%.0f\n", course->cell[i].ready);
	}
	free(ns);
}

/* ---- marks ---- */

struct panel {
	struct frame frame;
	struct scale x, y;
};

/* Workers in the states below that level, all of it by the length of a cell. */
static double height_of(const struct course_cell *cell, size_t level)
{
	double sum = 0;

	for (size_t i = 0; i < level; i++)
		sum += cell->n_in[state_at(i)];
	return cell->ns > 0 ? sum / cell->ns : 0;
}

static double ready_of(const struct course_cell *cell, size_t level)
{
	return level && cell->ns > 0 ? cell->ready / cell->ns : 0;
}

typedef double height(const struct course_cell *cell, size_t level);

/* Steps along one edge of a layer, to the right or back. */
static uint32_t edge(struct point *out, const struct panel *panel, const struct course *course,
		     height *of, size_t level, bool back)
{
	double cell = panel->frame.width / COURSE_CELLS;

	for (uint32_t i = 0; i < COURSE_CELLS; i++) {
		uint32_t at = back ? COURSE_CELLS - 1 - i : i;
		double y = axes_at_y(&panel->frame, &panel->y, of(&course->cell[at], level));

		out[2 * i] = (struct point){ panel->frame.left + cell * (at + back), y };
		out[2 * i + 1] = (struct point){ panel->frame.left + cell * (at + !back), y };
	}
	return 2 * COURSE_CELLS;
}

/* The area between two levels. */
static void layer(struct picture *picture, const struct panel *panel, const struct course *course,
		  height *of, size_t level, uint32_t colour)
{
	struct point point[4 * COURSE_CELLS];
	uint32_t n = edge(point, panel, course, of, level + 1, false);
	double area = 0;

	for (uint32_t i = 0; i < COURSE_CELLS; i++)
		area += of(&course->cell[i], level + 1) - of(&course->cell[i], level);
	if (area <= 0)
		return;
	n += edge(point + n, panel, course, of, level, true);
	picture_area(picture, colour, point, n);
}

static void workers_panel(struct picture *picture, const struct panel *panel,
			  const struct summary *summary)
{
	const struct frame *frame = &panel->frame;
	double p = axes_at_y(frame, &panel->y, summary->dag->n_workers);

	axes_x(picture, frame, &panel->x);
	axes_y(picture, frame, &panel->y);
	for (size_t i = 0; i < ORDER; i++)
		layer(picture, panel, &summary->breakdown.course, height_of, i,
		      colour_of_state[state_at(i)]);
	picture_line(picture, COLOUR_INK, .7, true,
		     (struct point[]){ { frame->left, p }, { frame->left + frame->width, p } }, 2);
}

static void ready_panel(struct picture *picture, const struct panel *panel,
			const struct course *course)
{
	axes_y(picture, &panel->frame, &panel->y);
	layer(picture, panel, course, ready_of, 0, COLOUR_READY);
}

static double most_ready(const struct course *course)
{
	double most = 0;

	for (uint32_t i = 0; i < COURSE_CELLS; i++)
		most = fmax(most, ready_of(&course->cell[i], 1));
	return most;
}

static double most_workers(const struct summary *summary)
{
	double most = summary->dag->n_workers;

	for (uint32_t i = 0; i < COURSE_CELLS; i++)
		most = fmax(most, height_of(&summary->breakdown.course.cell[i], ORDER));
	return most;
}

static void put_key(struct picture *picture, struct frame *frame, const struct summary *summary)
{
	struct key key[ORDER + 1];
	uint32_t n = 0;

	for (size_t i = 0; i < ORDER; i++)
		if (state_seen(summary->breakdown.state, (int)state_at(i)))
			key[n++] = (struct key){ state_name[state_at(i)],
						 colour_of_state[state_at(i)], false };
	key[n++] = (struct key){ "ready", COLOUR_READY, false };
	axes_key(picture, frame, key, n);
}

void profile_picture(struct picture *picture, FILE *csv, const struct summary *summary)
{
	const struct course *course = &summary->breakdown.course;
	struct panel ready = { 0 }, workers = { 0 };
	double gap = picture->font_size, left;
	char title[AXES_TITLE];

	picture_be_high(picture, 75 * PICTURE_MM);
	workers.frame = axes_frame(picture);
	put_key(picture, &workers.frame, summary);
	axes_room_below(picture, &workers.frame);
	ready.frame = workers.frame;
	ready.frame.height = workers.frame.height * .35 - gap;
	workers.frame.top += workers.frame.height * .35;
	workers.frame.height *= .65;
	ready.y = axes_count(picture, most_ready(course), ready.frame.height * 1.6, "ready");
	workers.y =
		axes_count(picture, most_workers(summary), workers.frame.height * 1.6, "workers");
	axes_room_left(picture, &ready.frame, &ready.y);
	axes_room_left(picture, &workers.frame, &workers.y);
	left = fmax(ready.frame.left, workers.frame.left);
	workers.frame.width -= left - workers.frame.left;
	workers.frame.left = ready.frame.left = left;
	ready.frame.width = workers.frame.width;
	workers.x = axes_time(picture, (double)course->from_ns, (double)course->to_ns,
			      workers.frame.width, "time (%s)", title);
	workers_panel(picture, &workers, summary);
	ready_panel(picture, &ready, course);
	if (csv)
		put_csv(csv, &summary->breakdown);
}

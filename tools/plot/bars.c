/* SPDX-License-Identifier: MIT */
/*
 * bars.c - a bar for each trace: its components or states, or what it loses over the first; or, of
 * ranks, its states as time goes by.
 */
#include <inttypes.h>
#include <math.h>

#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/plot.h"
#include "tools/table/put.h"

#define PARTS_MOST STATES
#define WAIT_WIDTH .5 /* of a line, in points */

/* What the bars are made of. */
struct parts {
	const char *name[PARTS_MOST]; /* in csv, before _ns */
	uint32_t which[PARTS_MOST];
	struct key key[PARTS_MOST];
	uint32_t n;
	double (*of)(const struct plot_traces *traces, uint32_t trace, uint32_t part);
	const char *title; /* with a %s for the unit of time */
	bool in_time;	   /* of ranks */
};

static uint64_t component_of(const struct charge *charge, uint32_t part)
{
	return part == OF_TOTAL_WORK	  ? charge->work_ns
	       : part == OF_DELAY	  ? charge->delay_ns
	       : part == OF_NO_WORK_SCHED ? charge->no_work_sched_ns
					  : charge->no_work_app_ns;
}

static double component(const struct plot_traces *traces, uint32_t trace, uint32_t part)
{
	return (double)component_of(&traces->trace[trace].total, part);
}

static double state(const struct plot_traces *traces, uint32_t trace, uint32_t part)
{
	return (double)charge_sum(&traces->trace[trace].state[part]);
}

/* Work beyond the baseline's is lost, too; less of it is a gain. */
static double loss(const struct plot_traces *traces, uint32_t trace, uint32_t part)
{
	double ns = component(traces, trace, part);

	return part == OF_TOTAL_WORK ? ns - component(traces, 0, part) : ns;
}

static struct parts components(void)
{
	struct parts parts = {
		.name = { "work", "delay", "no_work_sched", "no_work_app" },
		.key = { { .name = "work" },
			 { .name = "delay" },
			 { .name = "no work: scheduler" },
			 { .name = "no work: application" } },
		.n = COMPONENTS,
		.of = component,
		.title = "core time (%s)",
	};

	for (uint32_t i = 0; i < COMPONENTS; i++) {
		parts.which[i] = i;
		parts.key[i].colour = colour_of_component[i];
	}
	return parts;
}

static struct parts losses(void)
{
	struct parts parts = components();

	parts.name[OF_TOTAL_WORK] = "work_stretch";
	parts.key[OF_TOTAL_WORK].name = "work stretch";
	parts.of = loss;
	parts.title = "core time lost over the baseline's work (%s)";
	return parts;
}

static struct parts all_states(const struct plot_traces *traces)
{
	struct parts parts = { .of = state, .title = "core time (%s)" };

	for (uint32_t i = 0; i < STATES; i++) {
		bool seen = false;

		for (uint32_t t = 0; t < traces->n; t++)
			seen |= state_seen(traces->trace[t].state, (int)i);
		if (!seen)
			continue;
		parts.name[parts.n] = state_name[i];
		parts.which[parts.n] = i;
		parts.key[parts.n++] = (struct key){ state_name[i], colour_of_state[i], false };
	}
	return parts;
}

static void put_bars_csv(FILE *csv, const struct plot_traces *traces, const struct parts *parts)
{
	fputs("trace,workers,elapsed_ns", csv);
	for (uint32_t i = 0; i < parts->n; i++)
		fprintf(csv, ",%s_ns", parts->name[i]);
	fputc('\n', csv);
	for (uint32_t t = 0; t < traces->n; t++) {
		const struct plot_trace *trace = &traces->trace[t];

		put_quoted(csv, trace->name);
		fprintf(csv, ",%u,%" PRIu64, trace->workers, trace->elapsed_ns);
		for (uint32_t i = 0; i < parts->n; i++)
			fprintf(csv, ",%.0f", parts->of(traces, t, parts->which[i]));
		fputc('\n', csv);
	}
}

/* When its i-th cell begins, on the job's clock. */
static double rank_at(const struct plot_trace *trace, uint32_t i)
{
	return (double)trace->begin_ns + (double)trace->elapsed_ns * i / COURSE_CELLS;
}

/* From the least to the most that a bar reaches to. */
static void reach(const struct plot_traces *traces, const struct parts *parts, double *least,
		  double *most)
{
	*least = *most = 0;
	for (uint32_t t = 0; t < traces->n; t++) {
		double up = parts->in_time ? rank_at(&traces->trace[t], COURSE_CELLS) : 0;
		double down = 0;

		for (uint32_t i = 0; i < parts->n && !parts->in_time; i++) {
			double ns = parts->of(traces, t, parts->which[i]);

			*(ns > 0 ? &up : &down) += ns;
		}
		*most = fmax(*most, up);
		*least = fmin(*least, down);
	}
	for (uint32_t i = 0; i < traces->waits.n; i++) /* MPI_Finalize is behind the window */
		*most = fmax(*most, (double)traces->waits.wait[i].end_ns);
}

static void put_bar(struct picture *picture, const struct frame *frame, const struct scale *scale,
		    const struct plot_traces *traces, const struct parts *parts, uint32_t t)
{
	double row = frame->height / traces->n, y = frame->top + row * (t + .15);
	double up = 0, down = 0;

	for (uint32_t i = 0; i < parts->n; i++) {
		double ns = parts->of(traces, t, parts->which[i]), *end = ns > 0 ? &up : &down;
		double from = axes_at_x(frame, scale, ns > 0 ? *end : *end + ns);
		double to = axes_at_x(frame, scale, ns > 0 ? *end + ns : *end);

		picture_rect(picture, parts->key[i].colour, from, y, to - from, row * .7);
		*end += ns;
	}
}

/* ---- ranks ---- */

static void put_rank(struct picture *picture, const struct frame *frame, const struct scale *scale,
		     const struct plot_trace *trace, const struct parts *parts, double bottom,
		     double height)
{
	for (uint32_t c = 0; c < COURSE_CELLS; c++) {
		const struct course_cell *cell = &trace->cell[c];
		double from = axes_at_x(frame, scale, rank_at(trace, c)), y = bottom;
		double to = axes_at_x(frame, scale, rank_at(trace, c + 1));

		picture_rect(picture, colour_of_state[STATE_IDLE], from, bottom - height, to - from,
			     height);
		for (uint32_t i = 0; i < parts->n && cell->ns > 0; i++) {
			if (parts->which[i] == STATE_IDLE)
				continue;
			double share = cell->n_in[parts->which[i]] / cell->ns / trace->workers;

			picture_rect(picture, parts->key[i].colour, from, y -= share * height,
				     to - from, share * height);
		}
	}
}

/* From the late rank's call to the end of that which waited for it: as far as they can be told. */
static void put_waits(struct picture *picture, const struct frame *frame, const struct scale *scale,
		      const struct plot_traces *traces)
{
	double row = frame->height / traces->n;

	for (uint32_t i = 0; i < traces->waits.n; i++) {
		const struct long_wait *wait = &traces->waits.wait[i];
		double begin = axes_at_x(frame, scale, (double)wait->begin_ns);
		struct point from = { axes_at_x(frame, scale, (double)wait->released_ns),
				      frame->top + row * (wait->late + .5) };
		struct point to = { axes_at_x(frame, scale, (double)wait->end_ns),
				    frame->top + row * (wait->waiter + .5) };

		if (from.x - begin >= WAIT_WIDTH)
			picture_stroke(picture, COLOUR_INK, WAIT_WIDTH, from, to);
	}
}

static void put_ranks_csv(FILE *csv, const struct plot_traces *traces, const struct parts *parts)
{
	fputs("rank,from_ns,to_ns,state,ns,late_rank\n", csv);
	for (uint32_t k = 0; k < traces->n * parts->n; k++) {
		const struct plot_trace *trace = &traces->trace[k / parts->n];
		double sum = 0, before;

		for (uint32_t c = 0; c < COURSE_CELLS; c++) {
			before = round(sum);
			sum += trace->cell[c].n_in[parts->which[k % parts->n]];
			if (round(sum) > before)
				fprintf(csv, "%s,%.0f,%.0f,%s,%.0f,\n", trace->name,
					rank_at(trace, c), rank_at(trace, c + 1),
					parts->name[k % parts->n], round(sum) - before);
		}
	}
	for (uint32_t i = 0; i < traces->waits.n; i++) {
		const struct long_wait *wait = &traces->waits.wait[i];

		fprintf(csv, "%s,%" PRIu64 ",%" PRIu64 ",waits,%" PRIu64 ",%s\n",
			traces->trace[wait->waiter].name, wait->begin_ns, wait->end_ns,
			wait->released_ns - wait->begin_ns, traces->trace[wait->late].name);
	}
}

/* ---- around it ---- */

/* Names, as far as a row has room for one. */
static void put_names(struct picture *picture, const struct frame *frame,
		      const struct plot_traces *traces, double width)
{
	double row = frame->height / traces->n, size = picture->font_size;
	uint32_t step = axes_every(row, size * 1.1);

	for (uint32_t t = 0; t < traces->n; t += step)
		axes_label(picture,
			   (struct point){ frame->left - size * .5,
					   frame->top + row * (t + .5) + size * .35 },
			   ALIGN_RIGHT, traces->trace[t].name, width);
}

static double names_width(const struct picture *picture, const struct plot_traces *traces,
			  double most)
{
	double widest = 0;

	for (uint32_t t = 0; t < traces->n; t++)
		widest = fmax(widest, axes_label_width(picture, traces->trace[t].name));
	return fmin(widest, most);
}

static void draw(struct picture *picture, FILE *csv, const struct plot_traces *traces,
		 const struct parts *parts)
{
	double size = picture->font_size, least, most, width;
	struct frame frame;
	struct scale scale;
	char title[AXES_TITLE];

	picture_be_high(picture, fmin(size * (8 + 2.2 * traces->n), 240 * PICTURE_MM));
	frame = axes_frame(picture);
	axes_key(picture, &frame, parts->key, parts->n);
	axes_room_below(picture, &frame);
	width = names_width(picture, traces, frame.width * .35);
	frame.left += width + size * .5;
	frame.width -= width + size * 1.5;
	reach(traces, parts, &least, &most);
	scale = axes_time(picture, least, most, frame.width, parts->title, title);
	axes_x(picture, &frame, &scale);
	for (uint32_t t = 0; t < traces->n; t++)
		if (parts->in_time)
			put_rank(picture, &frame, &scale, &traces->trace[t], parts,
				 frame.top + frame.height * (t + .85) / traces->n,
				 frame.height * .7 / traces->n);
		else
			put_bar(picture, &frame, &scale, traces, parts, t);
	put_waits(picture, &frame, &scale, traces);
	put_names(picture, &frame, traces, width);
	if (least < 0)
		picture_stroke(
			picture, COLOUR_INK, .7,
			(struct point){ axes_at_x(&frame, &scale, 0), frame.top },
			(struct point){ axes_at_x(&frame, &scale, 0), frame.top + frame.height });
	if (csv)
		(parts->in_time ? put_ranks_csv : put_bars_csv)(csv, traces, parts);
}

void ranks_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces)
{
	struct parts parts = all_states(traces);

	parts.title = "time (%s)";
	parts.in_time = true;
	draw(picture, csv, traces, &parts);
}

void bars_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces, bool states)
{
	struct parts parts = states ? all_states(traces) : components();

	draw(picture, csv, traces, &parts);
}

void losses_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces)
{
	struct parts parts = losses();

	draw(picture, csv, traces, &parts);
}

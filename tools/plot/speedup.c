/* SPDX-License-Identifier: MIT */
/*
 * speedup.c - how much faster each run is than all of the work on one worker, over workers.
 *
 * Work, span and bounds are those of the run on the fewest workers, the shortest of several, which
 * has the least work stretch.  Bounds: T1 / max(T1 / p, span), and Cilkview's lower one
 * (tools/analysis/bounds.h), of the run on the fewest that measured what a migration costs.
 */
#include <inttypes.h>
#include <math.h>

#include "tools/analysis/least.h"
#include "tools/plot/axes.h"
#include "tools/plot/colours.h"
#include "tools/plot/plot.h"
#include "tools/table/put.h"

#define POINTS_MOST 4096u

/* What was measured comes before what was simulated. */
static bool before(const struct plot_trace *trace, const struct plot_trace *other)
{
	if (trace->simulated != other->simulated)
		return other->simulated;
	if (trace->workers != other->workers)
		return trace->workers < other->workers;
	return trace->elapsed_ns < other->elapsed_ns;
}

/* `burdened`: of those that know what a migration costs, which one worker cannot tell; else of all.
 */
static const struct plot_trace *fewest(const struct plot_traces *traces, bool burdened)
{
	const struct plot_trace *least = NULL;

	for (uint32_t t = 0; t < traces->n; t++) {
		const struct plot_trace *trace = &traces->trace[t];

		if (burdened && !trace->burden_known)
			continue;
		if (!least || before(trace, least))
			least = trace;
	}
	return least || !burdened ? least : fewest(traces, false);
}

static double speedup_in(const struct plot_trace *base, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)base->total.work_ns / (double)elapsed_ns : 0;
}

static double speedup_of(const struct plot_trace *base, const struct plot_trace *trace)
{
	return speedup_in(base, trace->elapsed_ns);
}

static struct least least_of(const struct plot_trace *base)
{
	return (struct least){ base->total.work_ns, base->span_ns, base->serial_ns };
}

static uint64_t bound_ns(const struct plot_trace *base, uint32_t workers)
{
	struct least least = least_of(base);

	return least_on(&least, workers ? workers : 1);
}

static double bound_of(const struct plot_trace *base, double workers)
{
	struct least least = least_of(base);
	uint64_t any_ns = least_on_any(&least);

	return any_ns ? fmin(workers, (double)least.work_ns / (double)any_ns) : workers;
}

static void put_lower(FILE *csv, const struct plot_trace *burdened, uint32_t p)
{
	if (burdened->burden_known && p && p <= burdened->n_points)
		fprintf(csv, "%.6f", burdened->lower[p - 1]);
}

static void put_row(FILE *csv, const struct speedup_point *point, const char *source,
		    const struct plot_trace *base, const struct plot_trace *burdened)
{
	uint32_t p = point->workers;

	put_quoted(csv, base->name);
	fprintf(csv, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%" PRIu64 ",", p,
		point->elapsed_ns, base->total.work_ns, base->span_ns,
		speedup_in(base, point->elapsed_ns), bound_ns(base, p));
	put_lower(csv, burdened, p);
	fprintf(csv, ",%s,%" PRIu64 ",%" PRIu64 "\n", source, point->low_ns, point->high_ns);
}

static void put_csv(FILE *csv, const struct plot_traces *traces, const struct plot_trace *base,
		    const struct plot_trace *burdened)
{
	fputs("trace,workers,elapsed_ns,work_ns,span_ns,speedup,bound_ns,cilkview_lower,source,low_"
	      "ns,high_ns\n",
	      csv);
	for (uint32_t t = 0; t < traces->n; t++) {
		const struct plot_trace *trace = &traces->trace[t];
		uint32_t p = trace->workers;

		put_quoted(csv, trace->name);
		fprintf(csv, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%" PRIu64 ",", p,
			trace->elapsed_ns, trace->total.work_ns, trace->span_ns,
			speedup_of(base, trace), bound_ns(base, p));
		put_lower(csv, burdened, p);
		fprintf(csv, ",%s,,\n", trace->simulated ? "simulated" : "measured");
	}
	for (int c = 0; c < SPEEDUPS; c++)
		for (uint32_t i = 0; i < traces->curves.of[c].n; i++)
			put_row(csv, &traces->curves.of[c].point[i], speedups_name[c], base,
				burdened);
}

struct graph {
	struct picture *picture;
	struct frame frame;
	struct scale x, y;
};

static struct point at(const struct graph *graph, double workers, double speedup)
{
	return (struct point){ axes_at_x(&graph->frame, &graph->x, workers),
			       axes_at_y(&graph->frame, &graph->y, speedup) };
}

static void put_bounds(const struct graph *graph, const struct plot_trace *base,
		       const struct plot_trace *burdened)
{
	double most = graph->x.most, knee = bound_of(base, most);
	double end = fmin(most, graph->y.most);
	struct point lower[POINTS_MOST];
	uint32_t n = 0;

	picture_line(
		graph->picture, COLOUR_BOUND, 1, false,
		(struct point[]){ at(graph, 0, 0), at(graph, knee, knee), at(graph, most, knee) },
		3);
	picture_line(graph->picture, COLOUR_FAINT, .8, true,
		     (struct point[]){ at(graph, 0, 0), at(graph, end, end) }, 2);
	for (; burdened->burden_known && n < burdened->n_points && n < POINTS_MOST && n + 1 <= most;
	     n++)
		lower[n] = at(graph, n + 1, burdened->lower[n]);
	picture_line(graph->picture, colour_of_component[OF_NO_WORK_SCHED], 1, false, lower, n);
}

/* Between Cilkview's bounds. */
static void put_range(const struct graph *graph, const struct plot_trace *burdened)
{
	struct point area[2 * POINTS_MOST];
	uint32_t n = 0;

	while (burdened->burden_known && n < burdened->n_points && n < POINTS_MOST &&
	       n + 1 <= graph->x.most) {
		area[n] = at(graph, n + 1, fmin(burdened->lower[n], graph->y.most));
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		area[n + i] = at(graph, n - i, fmin(burdened->upper[n - 1 - i], graph->y.most));
	if (n > 1)
		picture_area(graph->picture, COLOUR_RANGE, area, 2 * n);
}

static void put_mark(const struct graph *graph, uint32_t colour, struct point p, double half)
{
	struct point corner[] = {
		{ p.x - half, p.y }, { p.x, p.y - half }, { p.x + half, p.y }, { p.x, p.y + half }
	};

	picture_area(graph->picture, colour, corner, 4);
}

/* A line through the points, and their least and most. */
static void put_curve(const struct graph *graph, const struct speedup_curve *curve, uint32_t colour,
		      const struct plot_trace *base)
{
	double half = graph->picture->font_size * .36;
	struct point last = { 0 };

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct speedup_point *of = &curve->point[i];
		struct point p = at(graph, of->workers, speedup_in(base, of->elapsed_ns));
		double most = fmin(speedup_in(base, of->low_ns), graph->y.most);

		if (i)
			picture_stroke(graph->picture, colour, .8, last, p);
		picture_stroke(graph->picture, colour, .8, at(graph, of->workers, most),
			       at(graph, of->workers, speedup_in(base, of->high_ns)));
		put_mark(graph, colour, p, half);
		last = p;
	}
}

static void put_simulated(const struct graph *graph, const struct plot_traces *traces,
			  const struct plot_trace *base)
{
	put_curve(graph, &traces->curves.of[SPEEDUPS_SIMULATED], COLOUR_SIMULATED, base);
	for (uint32_t t = 0; t < traces->n; t++)
		if (traces->trace[t].simulated)
			put_mark(graph, COLOUR_SIMULATED,
				 at(graph, traces->trace[t].workers,
				    speedup_of(base, &traces->trace[t])),
				 graph->picture->font_size * .36);
}

static void put_points(const struct graph *graph, const struct plot_traces *traces,
		       const struct plot_trace *base)
{
	double half = graph->picture->font_size * .28;

	for (uint32_t t = 0; t < traces->n; t++) {
		struct point p =
			at(graph, traces->trace[t].workers, speedup_of(base, &traces->trace[t]));

		if (traces->trace[t].simulated)
			continue;
		picture_rect(graph->picture, colour_of_state[STATE_RUNNING], p.x - half, p.y - half,
			     2 * half, 2 * half);
	}
}

static bool has_simulated(const struct plot_traces *traces)
{
	bool any = traces->curves.of[SPEEDUPS_SIMULATED].n > 0;

	for (uint32_t t = 0; t < traces->n; t++)
		any |= traces->trace[t].simulated;
	return any;
}

static void put_speedup_key(struct graph *graph, const struct plot_traces *traces,
			    const struct plot_trace *burdened)
{
	struct key key[7] = { { "measured", colour_of_state[STATE_RUNNING], false } };
	uint32_t n = 1;

	if (has_simulated(traces))
		key[n++] = (struct key){ "simulated", COLOUR_SIMULATED, true };
	if (traces->curves.of[SPEEDUPS_PREDICTED].n)
		key[n++] = (struct key){ "predicted", COLOUR_PREDICTED, true };
	key[n++] = (struct key){ "linear", COLOUR_FAINT, true };
	key[n++] = (struct key){ "work and span", COLOUR_BOUND, true };
	if (burdened->burden_known) {
		key[n++] = (struct key){ "Cilkview's lower bound",
					 colour_of_component[OF_NO_WORK_SCHED], true };
		key[n++] = (struct key){ "Cilkview's range", COLOUR_RANGE, false };
	}
	axes_key(graph->picture, &graph->frame, key, n);
}

/* The best speed-up of all points: simulations are drawn with their interval. */
static double fastest_of(const struct speedups *curves, const struct plot_trace *base)
{
	double most = 0;

	for (int c = 0; c < SPEEDUPS; c++)
		for (uint32_t i = 0; i < curves->of[c].n; i++) {
			const struct speedup_point *point = &curves->of[c].point[i];

			most = fmax(most,
				    speedup_in(base, c == SPEEDUPS_PREDICTED ? point->elapsed_ns
									     : point->low_ns));
		}
	return most;
}

void speedup_picture(struct picture *picture, FILE *csv, const struct plot_traces *traces)
{
	const struct plot_trace *base = fewest(traces, false), *burdened = fewest(traces, true);
	struct graph graph = { .picture = picture };
	double workers = 1, speedup = 1;

	for (uint32_t t = 0; t < traces->n; t++) {
		workers = fmax(workers, traces->trace[t].workers);
		speedup = fmax(speedup, speedup_of(base, &traces->trace[t]));
	}
	workers = fmax(workers, speedups_widest(&traces->curves));
	speedup = fmax(speedup, fastest_of(&traces->curves, base));
	speedup = fmax(speedup, bound_of(base, workers));
	picture_be_high(picture, 80 * PICTURE_MM);
	graph.frame = axes_frame(picture);
	put_speedup_key(&graph, traces, burdened);
	axes_room_below(picture, &graph.frame);
	graph.y = axes_scale(picture, 0, fmin(speedup * 1.08, workers * 1.08),
			     graph.frame.height * 1.6, "speed-up");
	graph.y.most = fmax(graph.y.most, speedup);
	axes_room_left(picture, &graph.frame, &graph.y);
	graph.x = axes_count(picture, workers * 1.08, graph.frame.width, "workers");
	put_range(&graph, burdened);
	axes_x(picture, &graph.frame, &graph.x);
	axes_y(picture, &graph.frame, &graph.y);
	put_bounds(&graph, base, burdened);
	put_curve(&graph, &traces->curves.of[SPEEDUPS_PREDICTED], COLOUR_PREDICTED, base);
	put_simulated(&graph, traces, base);
	put_points(&graph, traces, base);
	if (csv)
		put_csv(csv, traces, base, burdened);
}

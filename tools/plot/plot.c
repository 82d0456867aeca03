/* SPDX-License-Identifier: MIT */
/* plot.c - which picture it is, and what is kept of each of several traces. */
#include "tools/plot/plot.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

const char *const plot_what_name[PLOTS] = {
	[PLOT_PROFILE] = "profile", [PLOT_TIMELINES] = "timelines", [PLOT_HISTOGRAM] = "histogram",
	[PLOT_STEALS] = "steals",   [PLOT_BREAKDOWN] = "breakdown", [PLOT_STATES] = "states",
	[PLOT_LOSSES] = "losses",   [PLOT_SPEEDUP] = "speedup",
};

static void take_bounds(struct plot_trace *trace, const struct summary *summary, uint32_t workers)
{
	struct bounds bounds = { 0 };

	summary_bounds(&bounds, summary, workers);

	trace->lower = xcalloc(bounds.n_points + 1ull, sizeof(*trace->lower));
	trace->upper = xcalloc(bounds.n_points + 1ull, sizeof(*trace->upper));
	trace->burden_known = bounds.burden_known;
	for (uint32_t i = 0; i < bounds.n_points; i++) {
		trace->lower[i] = bounds.point[i].lower;
		trace->upper[i] = bounds.point[i].upper;
	}
	trace->n_points = bounds.n_points;
	bounds_free(&bounds);
}

/* A zeroed one at the end. */
static struct plot_trace *add_trace(struct plot_traces *traces)
{
	struct plot_trace *larger =
		xrealloc(traces->trace, (traces->n + 1ull) * sizeof(*traces->trace));

	traces->trace = larger;
	larger[traces->n] = (struct plot_trace){ 0 };
	return &larger[traces->n++];
}

void plot_traces_add(struct plot_traces *traces, const struct summary *summary, const char *name,
		     uint32_t bounds, bool course)
{
	struct plot_trace *trace = add_trace(traces);

	*trace = (struct plot_trace){ .name = xstrdup(name),
				      .workers = summary->dag->n_workers,
				      .elapsed_ns = summary->elapsed_ns,
				      .span_ns = summary->span_ns,
				      .serial_ns = summary->least.serial_ns,
				      .simulated = defs_meta(summary->defs, "simulated"),
				      .total = summary->breakdown.total };
	memcpy(trace->state, summary->breakdown.state, sizeof(trace->state));
	trace->n_cells = course ? COURSE_CELLS : 0;
	trace->cell = xcalloc(trace->n_cells, sizeof(*trace->cell));
	memcpy(trace->cell, summary->breakdown.course.cell, trace->n_cells * sizeof(*trace->cell));
	if (bounds)
		take_bounds(trace, summary, bounds);
}

const struct plot_trace *plot_traces_lead(const struct plot_traces *traces)
{
	const struct plot_trace *lead = NULL;

	for (uint32_t t = 0; t < traces->n; t++) {
		const struct plot_trace *trace = &traces->trace[t];

		if (trace->simulated)
			continue;
		if (!lead || trace->workers < lead->workers ||
		    (trace->workers == lead->workers && trace->elapsed_ns < lead->elapsed_ns))
			lead = trace;
	}
	return lead;
}

/* ---- as bytes ---- */

static void pass_trace(struct bytes *bytes, struct plot_trace *trace)
{
	uint32_t n = trace->n_points;

	BYTES_PASS(bytes, *trace);
	bytes_pass_text(bytes, &trace->name);
	bytes_pass_array(bytes, &trace->cell, &trace->n_cells, sizeof(*trace->cell));
	bytes_pass_array(bytes, &trace->lower, &n, sizeof(*trace->lower));
	bytes_pass_array(bytes, &trace->upper, &trace->n_points, sizeof(*trace->upper));
	if (!trace->name || n != trace->n_points)
		bytes_wrong();
}

void plot_traces_pass(struct plot_traces *traces, struct bytes *bytes)
{
	for (uint32_t t = 0; bytes->out && t < traces->n; t++)
		pass_trace(bytes, &traces->trace[t]);
	while (!bytes->out && bytes->n) {
		struct plot_trace *trace = add_trace(traces);

		pass_trace(bytes, trace);
	}
}

static void free_trace(struct plot_trace *trace)
{
	free(trace->name);
	free(trace->cell);
	free(trace->lower);
	free(trace->upper);
}

void plot_traces_drop(struct plot_traces *traces, uint32_t t)
{
	free_trace(&traces->trace[t]);
	traces->n--;
	memmove(&traces->trace[t], &traces->trace[t + 1], (traces->n - t) * sizeof(*traces->trace));
}

void plot_traces_free(struct plot_traces *traces)
{
	for (uint32_t i = 0; i < traces->n; i++)
		free_trace(&traces->trace[i]);
	free(traces->trace);
	speedups_free(&traces->curves);
	long_waits_free(&traces->waits);
	*traces = (struct plot_traces){ 0 };
}

int plot_one(struct picture *picture, FILE *csv, enum plot_what what, const struct summary *summary,
	     unsigned arcs, struct err *err)
{
	if (what == PLOT_TIMELINES)
		return timelines_picture(picture, csv, summary, arcs, err);
	if (what == PLOT_PROFILE)
		profile_picture(picture, csv, summary);
	else if (what == PLOT_HISTOGRAM)
		histogram_picture(picture, csv, summary);
	else
		steals_picture(picture, csv, summary);
	return 0;
}

void plot_several(struct picture *picture, FILE *csv, enum plot_what what,
		  const struct plot_traces *traces)
{
	if (what == PLOT_LOSSES) {
		losses_picture(picture, csv, traces);
	} else if (what == PLOT_SPEEDUP) {
		speedup_picture(picture, csv, traces);
	} else if (what == PLOT_TIMELINES) {
		ranks_picture(picture, csv, traces);
	} else {
		bars_picture(picture, csv, traces, what == PLOT_STATES);
	}
}

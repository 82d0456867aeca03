/* SPDX-License-Identifier: MIT */
/* screen_warnings.c - what is missing from the trace, or makes its figures doubtful. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/summary/counter_table.h"
#include "tools/report/machine_facts.h"
#include "tools/table/put.h"
#include "tools/report/screen.h"
#include "tools/report/screen_parts.h"
#include "tools/table/fit.h"
#include "tools/run/slowed.h"
#include "tools/analysis/phases.h"
#include "tools/dag/dag.h"

#define LINES_MOST 16u /* all gaps are in --json */

/* The gaps of one worker, taken together. */
struct worker_gaps {
	uint64_t n_events, n_gaps;
	uint64_t since_ns, until_ns;
	uint32_t reasons; /* bits: enum wire_loss */
};

static void add(struct worker_gaps *gaps, const struct gap *gap)
{
	if (gap->why == WIRE_LOSS_STOPPED)
		return;
	if (gaps->n_gaps++ == 0)
		gaps->since_ns = gap->since_ns;
	gaps->n_events += gap->n;
	gaps->until_ns = gap->until_ns > gaps->until_ns ? gap->until_ns : gaps->until_ns;
	gaps->reasons |= 1u << gap->why;
}

static void put_reasons(FILE *out, uint32_t reasons, const char *unwritten)
{
	const char *const why[WIRE_LOSSES] = {
		[WIRE_LOSS_RING] = "its ring was full",
		[WIRE_LOSS_STOPPED] = "recording was stopped",
		[WIRE_LOSS_SIZE] = unwritten ? unwritten : "the trace reached its maximum size",
		[WIRE_LOSS_OLD] = "only the newest events were kept",
		[WIRE_LOSS_DIED] = "the collector died"
	};
	const char *before = ": ";

	for (uint32_t i = 0; i < WIRE_LOSSES; i++)
		if (reasons >> i & 1) {
			fprintf(out, "%s%s", before, why[i]);
			before = "; ";
		}
}

static void put_worker(FILE *out, uint32_t worker, const struct worker_gaps *gaps,
		       const char *unwritten)
{
	char text[2][UNITS_TIME];

	fprintf(out, "  worker %u: %" PRIu64 " events", worker, gaps->n_events);
	if (gaps->n_gaps > 1)
		fprintf(out, " in %" PRIu64 " gaps", gaps->n_gaps);
	if (gaps->until_ns)
		fprintf(out, " from %s to %s", units_time(text[0], gaps->since_ns),
			units_time(text[1], gaps->until_ns));
	else
		fputs(" before the first that is there", out);
	put_reasons(out, gaps->reasons, unwritten);
	fputc('\n', out);
}

/* How many events were lost.  Nothing if none were. */
static void gaps_put(FILE *out, const struct dag *dag)
{
	if (dag->n_lost)
		fprintf(out,
			"LOST: %" PRIu64
			" events; the figures cover the events that were recorded\n",
			dag->n_lost);
}

/* A line for each worker that lost some: when and why. */
static void gaps_put_workers(FILE *out, const struct dag *dag, const char *unwritten)
{
	uint32_t n_lines = 0;

	if (!dag->n_lost)
		return;
	for (uint64_t i = 0; i < dag->n_gaps;) {
		uint32_t worker = dag->gap[i].worker;
		struct worker_gaps gaps = { 0 };

		while (i < dag->n_gaps && dag->gap[i].worker == worker)
			add(&gaps, &dag->gap[i++]);
		if (!gaps.n_gaps || n_lines++ >= LINES_MOST)
			continue;
		put_worker(out, worker, &gaps, unwritten);
	}
	if (n_lines > LINES_MOST)
		fprintf(out, "  and %u more workers\n", n_lines - LINES_MOST);
}

/* A line for each time that recording was stopped on request. */
static void gaps_put_stopped(FILE *out, const struct phases *phases, uint64_t elapsed_ns)
{
	const struct select *stopped = &phases->stopped;
	bool to_end = phases->stopped_at_end && stopped->n &&
		      stopped->span[stopped->n - 1].to_ns >= elapsed_ns;
	uint32_t n = stopped->n - to_end;
	uint32_t n_lines = n < LINES_MOST ? n : LINES_MOST;
	char text[2][UNITS_TIME];

	for (uint32_t i = 0; i < n_lines; i++)
		fprintf(out, "recording was stopped from %s to %s, as requested\n",
			units_time(text[0], stopped->span[i].from_ns),
			units_time(text[1], stopped->span[i].to_ns));
	if (n > n_lines)
		fprintf(out, "recording was stopped %u more times\n", n - n_lines);
	if (to_end)
		fprintf(out, "recording was stopped from %s to the end, as requested\n",
			units_time(text[0], stopped->span[n].from_ns));
	else if (phases->stopped_at_end)
		fprintf(out, "recording was stopped at the end, as requested\n");
}

static void put_warning_line(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	put_text(out, text);
	fputs(after, out);
}

/* What is missing; of a program that did not end as it should, how it did, and if all is here. */
static void put_ending(FILE *out, const struct summary *summary)
{
	const char *ended = defs_meta(summary->defs, "ended");

	if (summary->file->missing[0])
		put_warning_line(out, "INCOMPLETE: ", summary->file->missing, "\n");
	if (!summary->file->ended || !ended || strcmp(ended, "cleanly") == 0)
		return;
	if (strcmp(ended, "recovered") == 0)
		fprintf(out, "the program was killed; everything recorded was recovered\n");
	else
		put_warning_line(out, "the program ended ", ended,
				 summary->losses.n_after ? "\n"
							 : "; everything recorded is here\n");
}

static void put_succession(FILE *out, const struct summary *summary)
{
	const char *before = defs_meta(summary->defs, "continues");
	const char *signal = defs_meta(summary->defs, "collector_signal");
	const char *status = defs_meta(summary->defs, "collector_status");
	char text[UNITS_TIME];
	uint64_t ns;

	if (!defs_meta(summary->defs, "collector_died"))
		return;
	if (signal)
		put_warning_line(out, "the collector was killed by signal ", signal, "");
	else if (status)
		put_warning_line(out, "the collector exited with status ", status, "");
	else
		fputs("the collector died", out);
	if (losses_collector_died(summary->run, &ns))
		fprintf(out, " at %s", units_time(text, ns));
	fputs("; another one collected the rest", out);
	if (before)
		fputs(", into this new trace, because it could not go on with ", out);
	if (before)
		put_text(out, before);
	fputc('\n', out);
}

#define TRACER_TOLD 100u /* above a hundredth of elapsed x P */

/* That the recorder itself took much of the run. */
static void put_tracer(FILE *out, const struct summary *summary)
{
	const struct charge *tracer = &summary->breakdown.state[STATE_TRACER];
	uint64_t held = charge_sum(tracer);
	char text[3][UNITS_TIME];

	if (held <= summary->cumulative_ns / TRACER_TOLD)
		return;
	fprintf(out,
		"tptrace held workers for %s (delay %s, no-work %s): they waited for its "
		"collector, or did its work\n",
		units_time(text[0], held), units_time(text[1], tracer->delay_ns),
		units_time(text[2], held - tracer->delay_ns));
}

/* That tasks were lengthened, and by how much of their work. */
static void put_slowed(FILE *out, const struct summary *summary)
{
	uint32_t counter = slowed_counter(summary->defs);
	char text[SLOWED_TEXT], time[UNITS_TIME];
	uint64_t ns = 0;

	if (!slowed_text(summary->defs, text)[0])
		return;
	for (uint32_t k = 0;
	     summary->counts && counter < WIRE_COUNTERS && k < summary->dag->n_kinds; k++)
		ns += summary->counts[k].sum[counter];
	put_warning_line(out, "SLOWED ON PURPOSE: ", text, "; ");
	if (ns)
		fprintf(out, "%s of work are that\n", units_time(time, ns));
	else
		fputs("no such task ran\n", out);
}

/* That no time here was measured. */
static void put_virtual(FILE *out, const struct summary *summary)
{
	const char *model = defs_meta(summary->defs, "virtual");

	if (model)
		put_warning_line(out, "VIRTUAL TIME: no task ran its code; times are drawn from ",
				 model, "\n");
}

static void put_lost_tasks(FILE *out, uint64_t n, const char *what)
{
	fprintf(out, "%" PRIu64 " task%s %s\n", n, units_s(n), what);
}

static void put_runtime(FILE *out, const struct defs_runtime *runtime, const char *note,
			const char *after)
{
	put_text(out, runtime->name ? runtime->name : "?");
	fputs(": ", out);
	put_text(out, note);
	fprintf(out, "%s\n", after);
}

void screen_put_fates(FILE *out, const struct summary *summary)
{
	gaps_put(out, summary->dag);
	losses_put(out, &summary->losses);
	put_ending(out, summary);
}

void screen_put_notes(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;

	put_virtual(out, summary);
	put_slowed(out, summary);
	gaps_put(out, dag);
	gaps_put_workers(out, dag, defs_meta(summary->defs, "unwritten"));
	losses_put(out, &summary->losses);
	gaps_put_stopped(out, &summary->run->phases, dag->elapsed_ns);
	put_succession(out, summary);
	clock_put_faults(out, &summary->clock, summary->elapsed_ns);
	if (!summary->run->select.part)
		ends_put(out, &summary->ends, dag->elapsed_ns);
	put_tracer(out, summary);
	machine_put_warnings(out, summary);
	counters_put_missing(out, summary);
	for (uint32_t i = 0; i < summary->defs->n_runtimes; i++) {
		const struct defs_runtime *runtime = &summary->defs->runtime[i];

		if (runtime->note)
			put_runtime(out, runtime, runtime->note, "");
		if (runtime->unlinked)
			put_runtime(out, runtime, runtime->unlinked,
				    " have no edge: span and simulations may be too short");
	}
	if (dag->n_found)
		put_lost_tasks(out, dag->n_found, "ran whose creation was not recorded");
	put_ending(out, summary);
	if (dag->n_cancelled)
		put_lost_tasks(out, dag->n_cancelled, "never began: cancelled");
	if (summary->n_never)
		put_lost_tasks(out, summary->n_never, "created and never begun");
	if (summary->n_unfinished)
		put_lost_tasks(out, summary->n_unfinished,
			       "begun, but not ended at the end of the trace");
}

static void put_all(FILE *out, const void *summary)
{
	screen_put_notes(out, summary);
}

void screen_put_warnings(FILE *out, const struct summary *summary, const struct look *look)
{
	fit_output(out, put_all, summary, (int)look->width);
}

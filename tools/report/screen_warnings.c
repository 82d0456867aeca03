/* SPDX-License-Identifier: MIT */
/* screen_warnings.c - what is missing from the trace, or makes its figures doubtful. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/summary/counter_table.h"
#include "tools/report/gaps.h"
#include "tools/report/machine_facts.h"
#include "tools/table/put.h"
#include "tools/report/screen.h"
#include "tools/report/screen_parts.h"
#include "tools/table/fit.h"
#include "tools/run/slowed.h"

static void put_warning_line(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	put_text(out, text);
	fputs(after, out);
}

/* Of a program that did not end as it should: how it did, and that nothing is missing for that. */
static void put_ending(FILE *out, const struct summary *summary)
{
	const char *ended = defs_meta(summary->defs, "ended");

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
	char text[UNITS_TIME];
	uint64_t ns;

	if (!defs_meta(summary->defs, "collector_died"))
		return;
	fputs("the collector was killed", out);
	if (signal)
		put_warning_line(out, " by signal ", signal, "");
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

void screen_put_notes(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;

	put_virtual(out, summary);
	put_slowed(out, summary);
	gaps_put(out, dag, defs_meta(summary->defs, "unwritten"));
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
	if (summary->file->missing[0])
		put_warning_line(out, "INCOMPLETE: ", summary->file->missing, "\n");
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

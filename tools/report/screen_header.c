/* SPDX-License-Identifier: MIT */
/* screen_header.c - what ran where, for how long, and what recording did to it. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "tools/base/units.h"
#include "tools/report/machine_facts.h"
#include "tools/report/screen.h"
#include "tools/report/screen_parts.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"

#define SEGMENT 600
#define BLANKS 3 /* between segments */

/* Segments on a line, as many as fit; of width 0: each is a line. */
struct header {
	FILE *out;
	int at, width;
};

static void put_segment(struct header *header, const char *text)
{
	int n = fit_columns(text);

	if (!header->width) {
		put_text(header->out, text);
		fputc('\n', header->out);
		return;
	}
	if (header->at && header->at + BLANKS + n > header->width) {
		fputc('\n', header->out);
		header->at = 0;
	}
	if (header->at)
		fprintf(header->out, "%*s", BLANKS, "");
	header->at += (header->at ? BLANKS : 0) + fit_cut(header->out, text, header->width);
}

static void put_count(struct header *header, uint64_t n, const char *of_what)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %s%s", n, of_what, n == 1 ? "" : "s");
	put_segment(header, text);
}

static void put_runtimes(struct header *header, const struct summary *summary)
{
	const struct defs *defs = summary->defs;
	char text[SEGMENT];

	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		const struct defs_runtime *runtime = &defs->runtime[i];
		uint32_t n_workers = summary_runtime_workers(summary, i);
		int n = snprintf(text, sizeof(text), "%.100s%s%.100s",
				 runtime->name ? runtime->name : "?", runtime->version ? " " : "",
				 runtime->version ? runtime->version : "");

		if (n_workers) /* else it has locks, not tasks */
			snprintf(text + n, sizeof(text) - (size_t)n, ", %u worker%s", n_workers,
				 n_workers == 1 ? "" : "s");
		put_segment(header, text);
	}
	if (machine_say_width(text, sizeof(text), summary)[0])
		put_segment(header, text);
}

static void put_recording(struct header *header, const struct summary *summary)
{
	double share = summary->cumulative_ns
			       ? 100 * (double)summary->tracer_ns / (double)summary->cumulative_ns
			       : 0;
	char text[SEGMENT];
	bool whole = !losses_any(&summary->losses);

	if (share > 0 && share < .1)
		snprintf(text, sizeof(text), "recording < 0.1 %%");
	else
		snprintf(text, sizeof(text), "recording %.1f %%", share);
	put_segment(header, text);
	if (whole)
		put_segment(header, "nothing lost");
}

static void put_machine(struct header *header, const struct summary *summary)
{
	const char *host = defs_meta(summary->defs, "host");
	const char *recorded = defs_meta(summary->defs, "recorded");
	time_t when = recorded ? (time_t)strtoll(recorded, NULL, 10) : 0;
	char text[SEGMENT], date[40] = "";
	struct tm tm;

	if (recorded && localtime_r(&when, &tm))
		strftime(date, sizeof(date), ", %Y-%m-%d %H:%M", &tm);
	if (!host)
		return;
	snprintf(text, sizeof(text), "on %.200s%s", host, date);
	put_segment(header, text);
}

/* n_shown: findings that are said below. */
static void put_segments(struct header *header, const struct summary *summary, uint32_t n_shown)
{
	const char *command = defs_meta(summary->defs, "command");
	char text[SEGMENT], time[2][UNITS_TIME];

	put_segment(header, command ? command : summary->file->path);
	put_runtimes(header, summary);
	if (summary->run->select.part)
		snprintf(text, sizeof(text), "%s, a part of %s",
			 units_time(time[0], summary->elapsed_ns),
			 units_time(time[1], summary->dag->elapsed_ns));
	else
		snprintf(text, sizeof(text), "%s", units_time(time[0], summary->elapsed_ns));
	put_segment(header, text);
	if (machine_say_wait(text, sizeof(text), summary, n_shown)[0])
		put_segment(header, text);
	put_recording(header, summary);
	put_count(header, summary->n_tasks, "task");
	put_count(header, summary->breakdown.n_moves[MOVE_STEAL], "steal");
	put_machine(header, summary);
}

void screen_put_header(FILE *out, const struct summary *summary, const struct look *look)
{
	struct header header = { out, 0, (int)look->width };

	put_segments(&header, summary, screen_findings_shown(summary, look));
	fputc('\n', out);
}

void screen_put_facts(FILE *out, const struct summary *summary)
{
	struct header header = { .out = out };

	put_segments(&header, summary, 0);
}

/* SPDX-License-Identifier: MIT */
/* gaps.c - lines on the gaps of each worker, and on stretches that were not to be recorded. */
#include "tools/report/gaps.h"

#include <inttypes.h>

#include "tools/base/units.h"

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
		[WIRE_LOSS_DIED] = "the collector was killed"
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

void gaps_put(FILE *out, const struct dag *dag, const char *unwritten)
{
	uint32_t n_lines = 0;

	if (!dag->n_lost)
		return;
	fprintf(out, "LOST: %" PRIu64 " events; the figures cover the events that were recorded\n",
		dag->n_lost);
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

void gaps_put_stopped(FILE *out, const struct phases *phases, uint64_t elapsed_ns)
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

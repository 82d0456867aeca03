/* SPDX-License-Identifier: MIT */
/* compensated_facts.c - analyses the compensated run, and prints it beside the recorded one. */
#include "tools/report/compensated_facts.h"

#include "tools/base/xalloc.h"
#include "tools/analysis/compensate.h"
#include "tools/analysis/span.h"
#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/summary/json_parts.h"

#define SENTENCE 400

struct without {
	struct compensated run;
	struct breakdown breakdown;
	uint64_t span_ns;
};

static void without_free(struct without *without)
{
	breakdown_free(&without->breakdown);
	compensated_free(&without->run);
}

static void without_build(struct without *without, const struct summary *summary)
{
	const struct dag *dag = &without->run.dag;

	compensate(&without->run, summary->dag,
		   &(struct compensate_costs){ .event_ps = summary->strand_ps ? summary->measured_ps
									      : summary->event_ps,
					       .strand_ps = summary->strand_ps,
					       .calls_ps = dag_calls_ps(summary->dag),
					       .collector_cpu_ns = summary->collector_cpu_ns,
					       .ring_waits_ns = summary->ring_waits_ns,
					       .machine = &summary->run->machine });
	breakdown_whole(&without->breakdown, dag);
	span_of(dag, NULL, &without->span_ns);
}

/* Times are taken out of all of the run: where a part is selected, nobody knows how much of it. */
static bool is_whole(const struct summary *summary)
{
	return !summary->run->select.part &&
	       summary->run->select.total_ns == summary->dag->elapsed_ns;
}

/* ---- text ---- */

static void put_sentence(FILE *out, const struct summary *summary, const struct without *without,
			 const struct look *look)
{
	uint64_t elapsed = summary->dag->elapsed_ns, now = without->run.dag.elapsed_ns;
	char text[SENTENCE], time[5][UNITS_TIME];
	int n = snprintf(text, sizeof(text), "without tptrace this run would have taken %s",
			 units_time(time[0], now));

	if (now < elapsed)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " instead of %s (-%.1f %%)",
			      units_time(time[1], elapsed),
			      100 * (double)(elapsed - now) / (double)elapsed);
	n += snprintf(text + n, sizeof(text) - (size_t)n,
		      ", as far as is known: events took %s of the workers' time",
		      units_time(time[2], without->run.events_ns));
	if (!summary->event_ps)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      " (the trace does not say what one costs)");
	n += snprintf(text + n, sizeof(text) - (size_t)n, ", waits for the collector %s",
		      units_time(time[3], without->run.waits_ns));
	if (without->run.cpu_ns)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 ", waits for a CPU that the collector had %s",
			 units_time(time[4], without->run.cpu_ns));
	fit_words(out, text, 0, 0, (int)look->width);
}

static void put_table(FILE *out, const struct summary *summary, const struct without *without)
{
	const struct breakdown *b = &summary->breakdown, *w = &without->breakdown;
	const struct {
		const char *name;
		uint64_t with_ns, without_ns;
	} line[] = {
		{ "elapsed", summary->dag->elapsed_ns, without->run.dag.elapsed_ns },
		{ "work", b->total.work_ns, w->total.work_ns },
		{ "delay", b->total.delay_ns, w->total.delay_ns },
		{ "no-work-sched", b->total.no_work_sched_ns, w->total.no_work_sched_ns },
		{ "no-work-app", b->total.no_work_app_ns, w->total.no_work_app_ns },
		{ "ready path: work", b->path_work_ns, w->path_work_ns },
		{ "  scheduler delay", b->path_scheduler_delay_ns, w->path_scheduler_delay_ns },
		{ "  busy delay", b->path_busy_delay_ns, w->path_busy_delay_ns },
	};
	char time[2][UNITS_TIME];

	fprintf(out, "\n  %-26s %12s %12s\n", "", "recorded", "without");
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		fprintf(out, "  %-26s %12s %12s\n", line[i].name,
			units_time(time[0], line[i].with_ns),
			units_time(time[1], line[i].without_ns));
}

void compensated_put(FILE *out, const struct summary *summary, const struct look *look)
{
	AT_END(without_free) struct without without = { 0 };

	if (!is_whole(summary)) {
		fprintf(out, "--compensate is for the whole run, not for a part of it\n");
		return;
	}
	without_build(&without, summary);
	put_sentence(out, summary, &without, look);
	put_table(out, summary, &without);
}

/* ---- JSON ---- */

void compensated_put_json(struct json *to, const struct summary *summary)
{
	AT_END(without_free) struct without without = { 0 };
	const struct dag *dag = &without.run.dag;

	if (!is_whole(summary)) {
		json_text(to, "compensated", NULL);
		return;
	}
	without_build(&without, summary);
	json_open(to, "compensated", '{');
	JSON_NUMBERS(to, { "events_ns", without.run.events_ns },
		     { "waits_ns", without.run.waits_ns }, { "cpu_ns", without.run.cpu_ns },
		     { "event_ps", summary->event_ps }, { "calls_ps", dag_calls_ps(summary->dag) },
		     { "elapsed_ns", dag->elapsed_ns },
		     { "cumulative_ns", dag->elapsed_ns * dag->n_workers });
	json_put_charge(to, &without.breakdown.total);
	json_number(to, "span_ns", without.span_ns);
	json_put_ready_path(to, &without.breakdown);
	json_close(to, '}');
}

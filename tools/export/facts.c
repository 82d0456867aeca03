/* SPDX-License-Identifier: MIT */
/* facts.c - puts facts into words and numbers. */
#include "tools/export/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/wire.h"
#include "tools/base/xalloc.h"
#include "tools/export/text.h"
#include "tools/table/put.h"

/* A gathering; memory that runs out is noticed at its end. */
struct gathering {
	struct export *export;
};

static void add(struct gathering *all, const char *key, const char *value)
{
	struct export *export = all->export;
	char *copy = text_utf8(value);

	array_grow(&export->fact, &export->facts_room, export->n_facts + 1ull,
		   sizeof(*export->fact));
	export->fact[export->n_facts++] = (struct export_fact){ key, copy };
}

static void add_number(struct gathering *all, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add(all, key, text);
}

static void add_meta(struct gathering *all, const char *key, const char *meta)
{
	const char *value = defs_meta(all->export->summary->defs, meta);

	if (value)
		add(all, key, value);
}

static void add_runtimes(struct gathering *all)
{
	const struct defs *defs = all->export->summary->defs;
	char *text = NULL;
	size_t bytes;
	FILE *out = xopen_memstream(&text, &bytes);

	for (uint32_t i = 0; i < defs->n_runtimes; i++)
		fprintf(out, "%s%s%s%s", i ? ", " : "",
			defs->runtime[i].name ? defs->runtime[i].name : "?",
			defs->runtime[i].version ? " " : "",
			defs->runtime[i].version ? defs->runtime[i].version : "");
	xclose_memstream(out);
	add(all, "runtimes", text);
	free(text);
}

static void add_run(struct gathering *all)
{
	const struct summary *summary = all->export->summary;

	add(all, "tptrace", TPTRACE_VERSION);
	add(all, "trace", summary->file->path);
	add_meta(all, "command", "command");
	add_meta(all, "host", "host");
	add_meta(all, "pid", "pid");
	add_meta(all, "recorded", "recorded");
	add_runtimes(all);
	add_number(all, "workers", summary->dag->n_workers);
	add_number(all, "window_ns", summary->dag->elapsed_ns);
	add_number(all, "elapsed_ns", summary->elapsed_ns);
	add(all, "times", "ns since the window began");
}

static void add_clock(struct gathering *all)
{
	const struct clock_facts *clock = &all->export->summary->clock;
	char text[24];

	add(all, "clock", clock->source);
	add_number(all, "clock_jumps", clock->n_jumps);
	snprintf(text, sizeof(text), "%" PRId64, clock->jump_ns);
	if (clock->n_jumps)
		add(all, "clock_jump_ns", text);
	add_number(all, "clock_drift_ppm", clock->drift_ppm);
	add_number(all, "clock_skew_ns", clock->skew_ns);
}

static void add_losses(struct gathering *all)
{
	const struct summary *summary = all->export->summary;
	const struct losses *losses = &summary->losses;

	add_number(all, "events_lost", summary->dag->n_lost);
	add_number(all, "tasks_lost", losses->n_tasks);
	add_number(all, "threads_lost", losses->n_threads);
	add_number(all, "calls_lost", losses->n_calls + losses->n_unplaced);
	add_number(all, "marks_lost", losses->n_marks);
	add(all, "complete", summary->file->ended ? "yes" : "no");
	if (summary->file->missing[0])
		add(all, "missing", summary->file->missing);
}

/* What recording took, by the recorder's own measure. */
static void add_overhead(struct gathering *all)
{
	const struct summary *summary = all->export->summary;
	double share = summary->cumulative_ns
			       ? 100 * (double)summary->tracer_ns / (double)summary->cumulative_ns
			       : 0;
	char text[24];

	snprintf(text, sizeof(text), "%.3f", share);
	add_number(all, "overhead_ns", summary->tracer_ns);
	add(all, "overhead_percent", text);
}

static void add_figures(struct gathering *all)
{
	const struct summary *summary = all->export->summary;
	const struct breakdown *b = &summary->breakdown;

	add_number(all, "tasks", summary->n_tasks);
	add_number(all, "strands", summary->n_strands);
	add_number(all, "steals", b->n_moves[MOVE_STEAL]);
	add_number(all, "migrations", b->n_moves[MOVE_MIGRATION]);
	add_number(all, "work_ns", b->total.work_ns);
	add_number(all, "delay_ns", b->total.delay_ns);
	add_number(all, "no_work_sched_ns", b->total.no_work_sched_ns);
	add_number(all, "no_work_app_ns", b->total.no_work_app_ns);
	add_number(all, "collapsed_tasks", summary->dag->n_collapsed_tasks);
	add_number(all, "collapsed_waits", summary->dag->n_collapsed_waits);
}

static void add_cut(struct gathering *all)
{
	struct export *export = all->export;
	const struct select *select = &export->run->select;

	if (select->n) {
		add_number(all, "from_ns", select->span[0].from_ns);
		add_number(all, "until_ns", select->span[select->n - 1].to_ns);
		add_number(all, "stretches_of_time", select->n);
	}
	if (export->cut.workers)
		add(all, "only_workers", export->cut.workers);
	if (export->cut.kind)
		add(all, "only_kind", export->cut.kind);
	if (export->cut.top)
		add_number(all, "only_tasks_with_most_work", export->cut.top);
	add_number(all, "tasks_exported", export->n_tasks);
	add_number(all, "tasks_left_out", export->tasks_out);
	add_number(all, "strands_exported", export->n_strands);
	add_number(all, "strands_left_out", export->strands_out);
	add_number(all, "collapsed_tasks_exported", export->n_collapsed);
}

void facts_gather(struct export *export)
{
	struct gathering all = { export };

	add_run(&all);
	add_clock(&all);
	add_losses(&all);
	add_overhead(&all);
	add_figures(&all);
	add_cut(&all);
}

void facts_free(struct export *export)
{
	for (uint32_t i = 0; i < export->n_facts; i++)
		free(export->fact[i].value);
	free(export->fact);
}

const char *facts_find(const struct export *export, const char *key)
{
	for (uint32_t i = 0; i < export->n_facts; i++)
		if (strcmp(export->fact[i].key, key) == 0)
			return export->fact[i].value;
	return "";
}

const char *facts_title(const struct export *export)
{
	const char *command = facts_find(export, "command");

	return *command ? command : facts_find(export, "trace");
}

void facts_put_json(FILE *out, const struct export *export)
{
	for (uint32_t i = 0; i < export->n_facts; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_string(out, export->fact[i].key);
		fputc(':', out);
		put_string(out, export->fact[i].value);
	}
}

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

static void add(struct export *export, const char *key, const char *value)
{
	ARRAY_ADD(export->fact, export->n_facts, export->facts_room,
		  (struct export_fact){ key, text_utf8(value) });
}

static void add_number(struct export *export, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add(export, key, text);
}

static void add_meta(struct export *export, const char *key, const char *meta)
{
	const char *value = defs_meta(export->summary->defs, meta);

	if (value)
		add(export, key, value);
}

static void add_runtimes(struct export *export)
{
	const struct defs *defs = export->summary->defs;
	FREED char *text = NULL;
	size_t bytes;
	FILE *out = xopen_memstream(&text, &bytes);

	for (uint32_t i = 0; i < defs->n_runtimes; i++)
		fprintf(out, "%s%s%s%s", i ? ", " : "",
			defs->runtime[i].name ? defs->runtime[i].name : "?",
			defs->runtime[i].version ? " " : "",
			defs->runtime[i].version ? defs->runtime[i].version : "");
	xclose_memstream(out);
	add(export, "runtimes", text);
}

static void add_run(struct export *export)
{
	const struct summary *summary = export->summary;

	add(export, "tptrace", TPTRACE_VERSION);
	add(export, "trace", summary->file->path);
	add_meta(export, "command", "command");
	add_meta(export, "host", "host");
	add_meta(export, "pid", "pid");
	add_meta(export, "recorded", "recorded");
	add_runtimes(export);
	add_number(export, "workers", summary->dag->n_workers);
	add_number(export, "window_ns", summary->dag->elapsed_ns);
	add_number(export, "elapsed_ns", summary->elapsed_ns);
	add(export, "times", "ns since the window began");
}

static void add_clock(struct export *export)
{
	const struct clock_facts *clock = &export->summary->clock;
	char text[24];

	add(export, "clock", clock->source);
	add_number(export, "clock_jumps", clock->n_jumps);
	snprintf(text, sizeof(text), "%" PRId64, clock->jump_ns);
	if (clock->n_jumps)
		add(export, "clock_jump_ns", text);
	add_number(export, "clock_drift_ppm", clock->drift_ppm);
	add_number(export, "clock_skew_ns", clock->skew_ns);
}

static void add_losses(struct export *export)
{
	const struct summary *summary = export->summary;
	const struct losses *losses = &summary->losses;

	add_number(export, "events_lost", summary->dag->n_lost);
	add_number(export, "tasks_lost", losses->n_tasks);
	add_number(export, "threads_lost", losses->n_threads);
	add_number(export, "calls_lost", losses->n_calls + losses->n_unplaced);
	add_number(export, "marks_lost", losses->n_marks);
	add(export, "complete", summary->file->ended ? "yes" : "no");
	if (summary->file->missing[0])
		add(export, "missing", summary->file->missing);
}

/* What recording took, by the recorder's own measure. */
static void add_overhead(struct export *export)
{
	const struct summary *summary = export->summary;
	double share = summary->cumulative_ns
			       ? 100 * (double)summary->tracer_ns / (double)summary->cumulative_ns
			       : 0;
	char text[24];

	snprintf(text, sizeof(text), "%.3f", share);
	add_number(export, "overhead_ns", summary->tracer_ns);
	add(export, "overhead_percent", text);
}

static void add_figures(struct export *export)
{
	const struct summary *summary = export->summary;
	const struct breakdown *b = &summary->breakdown;

	add_number(export, "tasks", summary->n_tasks);
	add_number(export, "strands", summary->n_strands);
	add_number(export, "steals", b->n_moves[MOVE_STEAL]);
	add_number(export, "migrations", b->n_moves[MOVE_MIGRATION]);
	add_number(export, "work_ns", b->total.work_ns);
	add_number(export, "delay_ns", b->total.delay_ns);
	add_number(export, "no_work_sched_ns", b->total.no_work_sched_ns);
	add_number(export, "no_work_app_ns", b->total.no_work_app_ns);
	add_number(export, "collapsed_tasks", summary->dag->n_collapsed_tasks);
	add_number(export, "collapsed_waits", summary->dag->n_collapsed_waits);
}

static void add_cut(struct export *export)
{
	const struct select *select = &export->run->select;

	if (select->n) {
		add_number(export, "from_ns", select->span[0].from_ns);
		add_number(export, "until_ns", select->span[select->n - 1].to_ns);
		add_number(export, "stretches_of_time", select->n);
	}
	if (export->cut.workers)
		add(export, "only_workers", export->cut.workers);
	if (export->cut.kind)
		add(export, "only_kind", export->cut.kind);
	if (export->cut.top)
		add_number(export, "only_tasks_with_most_work", export->cut.top);
	add_number(export, "tasks_exported", export->n_tasks);
	add_number(export, "tasks_left_out", export->tasks_out);
	add_number(export, "strands_exported", export->n_strands);
	add_number(export, "strands_left_out", export->strands_out);
	add_number(export, "collapsed_tasks_exported", export->n_collapsed);
}

void facts_gather(struct export *export)
{
	add_run(export);
	add_clock(export);
	add_losses(export);
	add_overhead(export);
	add_figures(export);
	add_cut(export);
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

void facts_process(const struct export *export, const struct job_times *times, uint32_t process,
		   char name[EXPORT_NAME])
{
	const struct job_rank *rank = times ? &times->rank[process] : NULL;
	char who[RANK_NAME];

	snprintf(name, EXPORT_NAME, "%s%s%s",
		 rank ? identity_rank(who, rank->rank, rank->nth_world) : "", rank ? ": " : "",
		 facts_title(export));
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

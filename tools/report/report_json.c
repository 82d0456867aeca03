/* SPDX-License-Identifier: MIT */
/* report_json.c - writes a summary as JSON; times are integers of ns. */
#include "tools/report/report_json.h"

#include <stdlib.h>

#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/report/bounds_facts.h"
#include "tools/report/job_groups.h"
#include "tools/summary/charge_columns.h"
#include "tools/report/compensated_facts.h"
#include "tools/summary/counter_table.h"
#include "tools/summary/json_distributions.h"
#include "tools/summary/json_parts.h"
#include "tools/report/machine_facts.h"
#include "tools/summary/report_tables.h"
#include "tools/run/slowed.h"
#include "tools/summary/tried.h"

static void put_json_table(struct json *to, const struct summary *summary, table_open *open)
{
	AT_END(table_close) struct table table;

	open(&table, summary);
	table_put_json(to, &table);
}

/* Who it is of: host, pid and place in its job, as far as they are known. */
static void put_identity(struct json *to, const struct defs *defs)
{
	static const char *const number[] = { "pid", "rank", "ranks", "local_rank" };

	json_text(to, "host", defs_meta(defs, "host"));
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		const char *text = defs_meta(defs, number[i]);
		uint64_t value;

		json_number(to, number[i],
			    text && defs_number(text, &value) == 0 ? value : JSON_UNKNOWN);
	}
	json_text(to, "virtual", defs_meta(defs, "virtual"));
	json_text(to, "ended", defs_meta(defs, "ended"));
}

/* The runtime's state by kind of call. */
static void put_runtime_calls(struct json *to, const struct charge call[CALLS])
{
	json_open(to, "runtime_calls", '{');
	for (int i = 0; i < CALLS; i++)
		json_put_free(to, call_name[i], &call[i]);
	json_close(to, '}');
}

static void put_path_rows(struct json *to, const struct summary *summary)
{
	AT_END(table_close) struct table table;

	path_table(&table, summary);
	json_number(to, "paths_guessed_tasks", path_table_rows(&table)->paths.n_guessed);
	table_put_json(to, &table);
}

static void put_clock(struct json *to, const struct clock_facts *clock)
{
	json_open(to, "clock", '{');
	json_text(to, "source", clock->source);
	JSON_NUMBERS(to, { "snapshots", clock->n_snapshots }, { "jumps", clock->n_jumps });
	json_signed(to, "jump_ns", clock->jump_ns);
	JSON_NUMBERS(to, { "jump_since_ns", clock->jump_since_ns },
		     { "jump_until_ns", clock->jump_until_ns }, { "drift_ppm", clock->drift_ppm },
		     { "skew_ns", clock->skew_ns }, { "skew_at_ns", clock->skew_at_ns });
	json_close(to, '}');
}

static void put_spans(struct json *to, const char *key, const struct select *select)
{
	json_open(to, key, '[');
	for (uint32_t i = 0; i < select->n; i++)
		json_pair(to, NULL, select->span[i].from_ns, select->span[i].to_ns);
	json_close(to, ']');
}

static void put_end_time(struct json *to, const char *key, struct end_time end)
{
	json_number(to, key, end.known ? end.ns : JSON_UNKNOWN);
}

/* Of the collector: null where nobody saw it. */
static void put_death(struct json *to, const struct summary *summary)
{
	const char *signal = defs_meta(summary->defs, "collector_signal");
	const char *status = defs_meta(summary->defs, "collector_status");
	uint64_t ns;

	json_bool(to, "collector_died", defs_meta(summary->defs, "collector_died"));
	JSON_NUMBERS(to,
		     { "collector_died_ns",
		       losses_collector_died(summary->run, &ns) ? ns : JSON_UNKNOWN },
		     { "collector_signal", signal ? strtoul(signal, NULL, 10) : 0 },
		     { "collector_status", status ? strtoul(status, NULL, 10) : JSON_UNKNOWN });
}

static void put_edge_figures(struct json *to, const char *key, const uint64_t value[EDGE_KINDS])
{
	json_open(to, key, '{');
	for (int e = 0; e < EDGE_KINDS; e++)
		json_number(to, edge_kind_name[e], value[e]);
	json_close(to, '}');
}

static void put_counts(struct json *to, const struct summary *summary)
{
	const struct losses *losses = &summary->losses;
	const struct breakdown *b = &summary->breakdown;

	JSON_NUMBERS(to, { "tasks", summary->n_tasks }, { "strands", summary->n_strands },
		     { "steals", b->n_moves[MOVE_STEAL] },
		     { "migrations", b->n_moves[MOVE_MIGRATION] },
		     { "tasks_begun", summary->n_begun }, { "tasks_ended", summary->n_ended },
		     { "tasks_cancelled", summary->dag->n_cancelled },
		     { "tasks_never_begun", summary->n_never },
		     { "kinds_guessed_tasks", summary->run->n_guessed },
		     { "events_lost", summary->dag->n_lost }, { "tasks_lost", losses->n_tasks },
		     { "threads_lost", losses->n_threads },
		     { "calls_lost", losses->n_calls + losses->n_unplaced },
		     { "marks_lost", losses->n_marks }, { "tasks_after_end", losses->n_after },
		     { "tracer_ns", summary->tracer_ns });
	json_bool(to, "complete", summary->file->ended);
}

static void put_graph(struct json *to, const struct summary *summary)
{
	json_number(to, "span_ns", summary->span_ns);
	json_real(to, "parallelism", "%.4f", summary->parallelism);
	json_number(to, "lower_bound_ns", summary->bound_ns);
	json_put_ready_path(to, &summary->breakdown);
	put_edge_figures(to, "delay_by_edge", summary->breakdown.delay_by_edge_ns);
	put_edge_figures(to, "edges", summary->shape.n_edges);
	json_number(to, "span_tasks", summary->shape.span_tasks);
}

/* The figures of the run. */
static void put_run(struct json *to, const struct summary *summary)
{
	char slowed[SLOWED_TEXT];

	json_number(to, "version", 1);
	json_text(to, "file", summary->file->path);
	json_text(to, "command", defs_meta(summary->defs, "command"));
	put_identity(to, summary->defs);
	put_json_table(to, summary, runtime_table);
	JSON_NUMBERS(to, { "workers", summary->dag->n_workers },
		     { "elapsed_ns", summary->elapsed_ns },
		     { "cumulative_ns", summary->cumulative_ns });
	json_put_charge(to, &summary->breakdown.total);
	put_counts(to, summary);
	put_death(to, summary);
	json_text(to, "slowed", slowed_text(summary->defs, slowed)[0] ? slowed : NULL);
	put_graph(to, summary);
	json_put_binding_path(to, summary);
}

/* What only some reports have. */
static void put_asked(struct json *to, const struct summary *summary)
{
	if (summary->bounds)
		bounds_put_json(to->out, summary);
	if (summary->compensate)
		compensated_put_json(to, summary);
	if (summary->grains)
		put_json_table(to, summary, grain_table);
}

/* Times since the window began: what the figures are of. */
static void put_window(struct json *to, const struct summary *summary)
{
	json_number(to, "window_ns", summary->dag->elapsed_ns);
	put_spans(to, "selected", &summary->run->select);
	put_spans(to, "not_recorded", &summary->run->phases.stopped);
	put_json_table(to, summary, phase_table);
}

static void put_rest(struct json *to, const struct summary *summary)
{

	json_put_states(to, summary->breakdown.state);
	put_runtime_calls(to, summary->breakdown.call);
	put_json_table(to, summary, lock_table);
	put_json_table(to, summary, wait_table);
	put_end_time(to, "head_ns", summary->ends.head);
	put_end_time(to, "tail_ns", summary->ends.tail);
	machine_put_json(to, summary);
	put_json_table(to, summary, loss_table);
	put_clock(to, &summary->clock);
	put_window(to, summary);
	counters_put_json(to, summary);
	put_json_table(to, summary, kind_table);
	json_number(to, "leaps", summary->distributions.n_leaps);
	put_json_table(to, summary, steal_table);
	json_put_steals_by_idle(to, &summary->distributions);
	put_path_rows(to, summary);
	put_json_table(to, summary, worker_table);
	put_json_table(to, summary, code_table);
	put_json_table(to, summary, stretch_table);
	if (summary->dag->n_operations)
		put_json_table(to, summary, operation_table);
	if (summary->dag->n_data)
		put_json_table(to, summary, data_table);
	put_json_table(to, summary, team_table);
}

void json_report(FILE *out, const struct summary *summary)
{
	struct json to = { out, false };

	json_open(&to, NULL, '{');
	put_run(&to, summary);
	put_asked(&to, summary);
	put_rest(&to, summary);
	put_json_table(&to, summary, finding_table);
	json_number(&to, "not_explained_ns", summary->findings.not_explained_ns);
	tried_put_json(&to, summary->tried);
	json_close(&to, '}');
}

/* ---- several processes ---- */

CELL(struct place, merged_place, struct merged_kind, its->place)

CELL(const void *, merged_charge, struct merged_kind, &its->charge)

#define MERGED(field) COLUMN_FIELD(struct merged_kind, field)

static const struct column merged_column[] = {
	{ "name", .type = COLUMN_PLACE, .place = merged_place },
	{ "processes", MERGED(n_processes) },
	{ "tasks", MERGED(n_tasks) },
	CHARGE_COLUMNS(merged_charge),
	{ "min_ns", .type = COLUMN_NS, MERGED(min_ns) },
	{ "max_ns", .type = COLUMN_NS, MERGED(max_ns) },
};

static void put_sums(struct json *to, const struct processes *all)
{
	json_number(to, "cumulative_ns", all->sums.cumulative_ns);
	json_put_charge(to, &all->sums.total);
	JSON_NUMBERS(to, { "tasks", all->sums.n_tasks }, { "strands", all->sums.n_strands },
		     { "steals", all->sums.n_moves[MOVE_STEAL] },
		     { "migrations", all->sums.n_moves[MOVE_MIGRATION] },
		     { "events_lost", all->sums.n_lost }, { "tracer_ns", all->sums.tracer_ns },
		     { "outside_ns", all->sums.outside_ns });
	put_edge_figures(to, "delay_by_edge", all->sums.delay_by_edge_ns);
	json_put_states(to, all->sums.state);
}

static void put_imbalance(struct json *to, const struct processes *all)
{
	const struct process *row = all->process;
	uint64_t n = all->n ? all->n : 1;

	JSON_NUMBERS(to, { "elapsed_max_ns", all->n ? row[all->longest].sums.elapsed_ns : 0 },
		     { "elapsed_mean_ns", all->sums.elapsed_ns / n });
	json_real(to, "elapsed_imbalance", "%.4f", processes_elapsed_imbalance(all));
	JSON_NUMBERS(to, { "work_max_ns", all->n ? row[all->most_work].sums.total.work_ns : 0 },
		     { "work_mean_ns", all->sums.total.work_ns / n });
	json_real(to, "work_imbalance", "%.4f", processes_work_imbalance(all));
}

/* What ranks waited for each other; nothing if they called no MPI. */
static void put_mpi(struct json *to, const struct job *job)
{
	const struct job_match *match = &job->match;
	const struct job_waits *waits = &job->waits;
	const struct replay_network *network = &job->replay.network;

	if (!job->n_ranks)
		return;
	json_open(to, "mpi", '{');
	JSON_NUMBERS(to, { "messages", match->n_messages },
		     { "collective_calls", match->n_collectives },
		     { "unmatched", match->n_unmatched + match->n_unknown },
		     { "on_several_hosts", job->clock.n_apart },
		     { "clock_error_ns", waits->n_apart ? JSON_UNKNOWN : job->clock.error_ns },
		     { "in_calls_ns", waits->in_calls_ns }, { "late_ns", waits->late_ns },
		     { "idle_ns", waits->idle_ns }, { "cpu_wait_ns", waits->cpu_wait_ns },
		     { "latency_ns", (uint64_t)network->latency_ns ?: JSON_UNKNOWN },
		     { "bytes_per_s",
		       network->byte_ns > 0 ? (uint64_t)(1e9 / network->byte_ns) : JSON_UNKNOWN });
	json_close(to, '}');
}

/* The ready path, where ranks have one, and how short a run of all could be. */
static void put_job_path(struct json *to, const struct processes *all, const struct job *job)
{
	const struct job_path *path = &job->path;

	if (job->replay.match) {
		json_open(to, "ready_path", '{');
		JSON_NUMBERS(to, { "work_ns", path->work_ns }, { "delay_ns", path->delay_ns },
			     { "message_ns", path->message_ns }, { "before_ns", path->before_ns },
			     { "crossings", path->n_crossings });
		json_open(to, "parts", '[');
		for (uint32_t i = 0; i < path->n_parts; i++) {
			const struct job_rank *rank = &job->rank[path->part[i].rank];

			json_open(to, NULL, '{');
			JSON_NUMBERS(to, { "rank", rank->rank }, { "world", rank->nth_world });
			table_put_json_place(to, "name", &job->place[path->part[i].kind],
					     COLUMN_PLACE);
			json_number(to, "work_ns", path->part[i].work_ns);
			json_close(to, '}');
		}
		json_close(to, ']');
		json_close(to, '}');
	}
	json_number(to, "span_ns", job->span_ns);
	json_real(to, "parallelism", "%.4f", ratio(all->sums.total.work_ns, job->span_ns));
	json_number(to, "bound_ns", job_bound_ns(job, all));
	json_bool(to, "inflated", all->sums.on_cpu.inflated);
}

void json_total(FILE *out, const struct processes *all, const struct job *job, uint32_t n_bad)
{
	struct table findings, kinds = { .name = "kinds",
					 TABLE_COLUMNS(merged_column),
					 TABLE_ROWS(all->kind, all->n_kinds) };
	struct json to = { out, false };
	struct table ifs = job_ifs_table(&job->ifs);
	struct table groups[] = { job_groups_table(all, job, false),
				  job_groups_table(all, job, true), job_phases_table(all) };
	uint64_t first;

	found_table(&findings, job->found, job->n_found);
	json_open(&to, NULL, '{');
	JSON_NUMBERS(&to, { "processes", all->n }, { "not_read", n_bad }, { "hosts", all->n_hosts },
		     { "ranks", all->n_ranks }, { "ranks_missing", processes_missing(all, &first) },
		     { "workers", all->sums.n_workers });
	put_imbalance(&to, all);
	put_sums(&to, all);
	put_job_path(&to, all, job);
	put_mpi(&to, job);
	table_put_json(&to, &findings);
	if (ifs.n)
		table_put_json(&to, &ifs);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		table_put_json(&to, &groups[i]);
		table_close(&groups[i]);
	}
	table_put_json(&to, &kinds);
	json_close(&to, '}');
	table_close(&findings);
}

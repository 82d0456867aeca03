/* SPDX-License-Identifier: MIT */
/* json.c - writes a summary as JSON; times are integers of ns. */
#include "tools/report/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/report/bounds_facts.h"
#include "tools/report/compensated_facts.h"
#include "tools/report/counter_table.h"
#include "tools/run/slowed.h"
#include "tools/summary/found.h"
#include "tools/report/grain_table.h"
#include "tools/report/json_distributions.h"
#include "tools/report/json_parts.h"
#include "tools/report/lock_table.h"
#include "tools/report/machine_facts.h"
#include "tools/report/path_table.h"
#include "tools/table/put.h"
#include "tools/summary/tried.h"

/* Who it is of: host, pid and place in its job, as far as they are known. */
static void put_identity(FILE *out, const struct summary *summary)
{
	static const char *const number[] = { "pid", "rank", "ranks", "local_rank" };
	const struct defs *defs = summary->defs;

	fputs(",\"host\":", out);
	put_string(out, defs_meta(defs, "host"));
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		const char *text = defs_meta(defs, number[i]);
		uint64_t value;

		if (text && defs_number(text, &value) == 0)
			fprintf(out, ",\"%s\":%" PRIu64, number[i], value);
		else
			fprintf(out, ",\"%s\":null", number[i]);
	}
	fputs(",\"virtual\":", out);
	put_string(out, defs_meta(summary->defs, "virtual"));
	fputs(",\"ended\":", out);
	put_string(out, defs_meta(defs, "ended"));
}

/* What of a state or a call was not work. */
static void put_free(FILE *out, const char *name, const struct charge *charge)
{
	fprintf(out,
		"\"%s\":{\"delay_ns\":%" PRIu64 ",\"no_work_sched_ns\":%" PRIu64
		",\"no_work_app_ns\":%" PRIu64 "}",
		name, charge->delay_ns, charge->no_work_sched_ns, charge->no_work_app_ns);
}

static void put_states(FILE *out, const struct charge state[STATES])
{
	fprintf(out, ",\"states\":{\"%s\":{\"work_ns\":%" PRIu64 "}", state_name[STATE_RUNNING],
		state[STATE_RUNNING].work_ns);
	for (int i = STATE_RUNNING + 1; i < STATES; i++) {
		fputs(",", out);
		put_free(out, state_name[i], &state[i]);
	}
	fputs("}", out);
}

/* The runtime's state by kind of call. */
static void put_calls(FILE *out, const struct charge call[CALLS])
{
	fputs(",\"runtime_calls\":{", out);
	for (int i = 0; i < CALLS; i++) {
		fputs(i ? "," : "", out);
		put_free(out, call_name[i], &call[i]);
	}
	fputs("}", out);
}

/* Each with its breakdown, if it has tasks. */
static void put_runtimes(FILE *out, const struct summary *summary)
{
	const struct defs *defs = summary->defs;
	uint32_t at = 0;

	fputs("\"runtimes\":[", out);
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fprintf(out, "%s{\"name\":", i ? "," : "");
		put_string(out, defs->runtime[i].name);
		fputs(",\"version\":", out);
		put_string(out, defs->runtime[i].version);
		if (defs->runtime[i].note) {
			fputs(",\"note\":", out);
			put_string(out, defs->runtime[i].note);
		}
		if (at < summary->n_runtimes && summary->runtime[at].runtime == i) {
			const struct runtime_row *row = &summary->runtime[at++];

			fprintf(out,
				",\"workers\":%u,\"tasks\":%" PRIu64 ",\"steals\":%" PRIu64
				",\"migrations\":%" PRIu64 ",\"from_ns\":%" PRIu64
				",\"elapsed_ns\":%" PRIu64 ",",
				summary->dag->runtime[i].n_workers,
				summary->dag->runtime[i].n_tasks, row->n_moves[MOVE_STEAL],
				row->n_moves[MOVE_MIGRATION], row->from_ns, row->elapsed_ns);
			json_put_charge(out, &row->total);
			put_states(out, row->state);
			fputs("}", out);
		} else {
			fprintf(out, ",\"workers\":%u,\"tasks\":0}", defs->runtime[i].n_workers);
		}
	}
	fputs("]", out);
}

/* What its tasks are charged with of each state but their work. */
static void put_blame(FILE *out, const struct breakdown *b, kind_id kind)
{
	fprintf(out,
		",\"blocked_ns\":%" PRIu64 ",\"runtime_ns\":%" PRIu64 ",\"starved_ns\":%" PRIu64
		",\"tracer_ns\":%" PRIu64,
		b->blocked_ns[kind], b->runtime_ns[kind], b->starved_ns[kind], b->tracer_ns[kind]);
}

/* What its tasks cost, and what to do with them; null: not known. */
static void put_grain(FILE *out, const struct kind_grain *grain)
{
	if (grain->benefit > 0)
		fprintf(out, ",\"cost_ns\":%" PRIu64 ",\"benefit\":%.3f", grain->cost_ns,
			grain->benefit);
	else
		fputs(",\"cost_ns\":null,\"benefit\":null", out);
	fprintf(out, ",\"quadrant\":\"%s\"", quadrant_name[grain->quadrant]);
}

static void put_kinds(FILE *out, const struct summary *summary)
{
	fputs(",\"kinds\":[", out);
	for (uint32_t i = 0; i < summary->rows.n; i++) {
		const struct kind_row *row = &summary->rows.row[i];

		fputs(i ? ",{" : "{", out);
		json_put_place(out, "name", &row->code);
		fprintf(out, ",\"what\":\"%s\",\"tasks\":%" PRIu64 ",",
			kind_what_name[summary->dag->kind_what[row->kind]], row->facts->n_tasks);
		json_put_charge(out, row->charge);
		put_blame(out, &summary->breakdown, row->kind);
		fprintf(out,
			",\"min_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
			",\"max_at_ns\":",
			row->facts->min_ns, row->facts->median_ns, row->facts->max_ns);
		if (row->facts->max_at_ns == KINDS_NOT_THERE)
			fputs("null", out);
		else
			fprintf(out, "%" PRIu64, row->facts->max_at_ns);
		put_grain(out, &summary->findings.grain[row->kind]);
		fputs(",\"site\":{", out);
		json_put_place(out, "name", &row->site);
		fputs("}", out);
		json_put_kind_distributions(out, &summary->distributions, row->kind);
		if (summary->counts)
			counters_put_json_row(out, summary, &summary->counts[row->kind],
					      row->facts->n_tasks, row->charge->work_ns);
		fputs("}", out);
	}
	fputs("]", out);
}

static void put_table(FILE *out, struct table table)
{
	fputc(',', out);
	table_put_json(out, &table);
}

static int put_paths(FILE *out, const struct summary *summary)
{
	struct path_rows own = { 0 };
	const struct path_rows *rows = summary->paths ? summary->paths : &own;

	if (!summary->paths && path_rows_build(&own, summary) < 0)
		return -ENOMEM;
	fprintf(out, ",\"paths_guessed_tasks\":%" PRIu64, rows->paths.n_guessed);
	put_table(out, path_table(rows));
	path_rows_free(&own);
	return 0;
}

/* Regions whose teams were smaller than their runtime's P. */
static void put_teams(FILE *out, const struct summary *summary)
{
	fputs(",\"small_teams\":[", out);
	for (uint32_t i = 0; i < summary->teams.n; i++) {
		const struct team_row *row = &summary->teams.row[i];

		fputs(i ? ",{" : "{", out);
		json_put_place(out, "name", &rows_find(&summary->rows, row->kind)->code);
		fprintf(out,
			",\"times\":%" PRIu64 ",\"least\":%u,\"most\":%u,\"workers\":%u,"
			"\"elapsed_ns\":%" PRIu64 "}",
			row->n_times, row->least, row->most, row->n_workers, row->elapsed_ns);
	}
	fputs("]", out);
}

/* The workers that the runtime has and nobody saw share one row, with worker null. */
static void put_workers(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;
	const char *comma = "";

	fputs(",\"workers_profile\":[", out);
	for (uint32_t w = 0; w <= dag->n_slots; w++) {
		if (w == dag->n_slots && dag->n_workers <= dag->n_seen)
			break;
		fprintf(out, "%s{\"worker\":", comma);
		if (w < dag->n_slots)
			fprintf(out, "%u,", w);
		else
			fprintf(out, "null,");
		json_put_charge(out, &summary->breakdown.worker[w]);
		fputc(',', out);
		machine_put_json_row(out, summary->machine.worker && w < dag->n_slots
						  ? &summary->machine.worker[w]
						  : NULL);
		fputs("}", out);
		comma = ",";
	}
	fputs("]", out);
}

static void put_findings(FILE *out, const struct summary *summary)
{
	struct found found;

	fputs(",\"findings\":[", out);
	for (uint32_t i = 0; i < summary->findings.n; i++) {
		const struct finding *finding = &summary->findings.finding[i];

		found_say(&found, summary, finding);
		fprintf(out,
			"%s{\"id\":\"%s\",\"lost_ns\":%" PRIu64 ",\"path_ns\":%" PRIu64
			",\"elapsed_ns\":%" PRIu64 ",\"in_work\":%s,\"where\":",
			i ? "," : "", finding->id, finding->lost_ns, finding->path_ns,
			finding->elapsed_ns, finding->in_work ? "true" : "false");
		put_string(out, found.where);
		if (found.lock[0]) {
			fputs(",\"lock\":", out);
			put_string(out, found.lock);
		}
		fputs(",\"file\":", out);
		put_string(out, found.place.file);
		fprintf(out, ",\"line\":%u,\"what\":", found.place.line);
		put_string(out, found.what);
		fputs(",\"try\":", out);
		put_string(out, found.advice);
		tried_put_json_finding(out, summary, i);
		fputs("}", out);
	}
	fprintf(out, "],\"not_explained_ns\":%" PRIu64, summary->findings.not_explained_ns);
	tried_put_json(out, summary);
}

static void put_clock(FILE *out, const struct clock_facts *clock)
{
	fputs(",\"clock\":{\"source\":", out);
	put_string(out, clock->source);
	fprintf(out,
		",\"snapshots\":%u,\"jumps\":%u,\"jump_ns\":%" PRId64 ",\"jump_since_ns\":%" PRIu64
		",\"jump_until_ns\":%" PRIu64 ",\"drift_ppm\":%u,\"skew_ns\":%" PRIu64
		",\"skew_at_ns\":%" PRIu64 "}",
		clock->n_snapshots, clock->n_jumps, clock->jump_ns, clock->jump_since_ns,
		clock->jump_until_ns, clock->drift_ppm, clock->skew_ns, clock->skew_at_ns);
}

/* null: not known. */
static void put_known(FILE *out, const char *key, uint64_t value)
{
	if (value == LOSS_UNKNOWN)
		fprintf(out, ",\"%s\":null", key);
	else
		fprintf(out, ",\"%s\":%" PRIu64, key, value);
}

struct losses_out {
	FILE *out;
	const char *comma;
};

/* `events` is what `count` was called when there were no other losses. */
static void put_loss(void *context, const struct loss *loss)
{
	struct losses_out *to = context;

	fprintf(to->out, "%s{\"what\":\"%s\"", to->comma, loss_what_name[loss->what]);
	put_known(to->out, "worker", loss->worker == LOSS_NO_WORKER ? LOSS_UNKNOWN : loss->worker);
	put_known(to->out, "count", loss->count);
	if (loss->what == LOSS_EVENTS)
		put_known(to->out, "events", loss->count);
	put_known(to->out, "from_ns", loss->from_ns);
	put_known(to->out, "to_ns", loss->to_ns);
	fputs(",\"why\":", to->out);
	put_string(to->out, loss->why);
	if (loss->where) {
		fputs(",\"where\":", to->out);
		put_string(to->out, loss->where);
	}
	fputs("}", to->out);
	to->comma = ",";
}

static void put_losses(FILE *out, const struct losses *losses)
{
	fputs(",\"losses\":[", out);
	losses_each(losses, put_loss, &(struct losses_out){ out, "" });
	fputs("]", out);
}

static void put_spans(FILE *out, const struct select *select)
{
	for (uint32_t i = 0; i < select->n; i++)
		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", select->span[i].from_ns,
			select->span[i].to_ns);
}

/* null: not known. */
static void put_end(FILE *out, const char *key, struct end_time end)
{
	if (end.known)
		fprintf(out, ",\"%s\":%" PRIu64, key, end.ns);
	else
		fprintf(out, ",\"%s\":null", key);
}

/* What the figures are of: times since the window began. */
static void put_window(FILE *out, const struct summary *summary)
{
	fprintf(out, ",\"window_ns\":%" PRIu64 ",\"selected\":[", summary->dag->elapsed_ns);
	put_spans(out, &summary->run->select);
	fputs("],\"not_recorded\":[", out);
	put_spans(out, &summary->run->phases.stopped);
	fputs("],\"phases\":[", out);
	for (uint32_t i = 1; i < summary->run->phases.n; i++) {
		fputs(i > 1 ? ",{\"name\":" : "{\"name\":", out);
		put_string(out, summary->run->phases.name[i]);
		fputs(",", out);
		json_put_charge(out, &summary->breakdown.row[i]);
		fputs("}", out);
	}
	fputs("]", out);
}

/* Of the collector: null where nobody saw it. */
static void put_death(FILE *out, const struct summary *summary)
{
	const char *signal = defs_meta(summary->defs, "collector_signal");
	uint64_t ns;

	if (losses_collector_died(summary->run, &ns))
		fprintf(out, ",\"collector_died_ns\":%" PRIu64, ns);
	else
		fputs(",\"collector_died_ns\":null", out);
	fprintf(out, ",\"collector_signal\":%lu", signal ? strtoul(signal, NULL, 10) : 0);
}

int json_report(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;
	const struct breakdown *b = &summary->breakdown;
	char slowed[SLOWED_TEXT];

	fputs("{\"version\":1,\"file\":", out);
	put_string(out, summary->file->path);
	fputs(",\"command\":", out);
	put_string(out, defs_meta(summary->defs, "command"));
	put_identity(out, summary);
	fputs(",", out);
	put_runtimes(out, summary);
	fprintf(out, ",\"workers\":%u,\"elapsed_ns\":%" PRIu64 ",\"cumulative_ns\":%" PRIu64 ",",
		dag->n_workers, summary->elapsed_ns, summary->cumulative_ns);
	json_put_charge(out, &b->total);
	fprintf(out,
		",\"tasks\":%" PRIu64 ",\"strands\":%" PRIu64 ",\"steals\":%" PRIu64
		",\"migrations\":%" PRIu64 ",\"tasks_begun\":%" PRIu64 ",\"tasks_ended\":%" PRIu64
		",\"tasks_cancelled\":%" PRIu64 ",\"tasks_never_begun\":%" PRIu64
		",\"kinds_guessed_tasks\":%" PRIu64
		",\"events_lost\":%" PRIu64 ",\"tasks_lost\":%" PRIu64 ",\"threads_lost\":%" PRIu64
		",\"calls_lost\":%" PRIu64 ",\"marks_lost\":%" PRIu64
		",\"tasks_after_end\":%" PRIu64 ",\"tracer_ns\":%" PRIu64
		",\"complete\":%s,\"collector_died\":%s",
		summary->n_tasks, summary->n_strands, b->n_moves[MOVE_STEAL],
		b->n_moves[MOVE_MIGRATION], summary->n_begun, summary->n_ended, dag->n_cancelled,
		summary->n_never, summary->run->n_guessed, dag->n_lost,
		summary->losses.n_tasks, summary->losses.n_threads,
		summary->losses.n_calls + summary->losses.n_unplaced, summary->losses.n_marks,
		summary->losses.n_after, summary->tracer_ns,
		summary->file->ended ? "true" : "false",
		defs_meta(summary->defs, "collector_died") ? "true" : "false");
	put_death(out, summary);
	fputs(",\"slowed\":", out);
	put_string(out, slowed_text(summary->defs, slowed)[0] ? slowed : NULL);
	fprintf(out,
		",\"span_ns\":%" PRIu64 ",\"parallelism\":%.4f,\"lower_bound_ns\":%" PRIu64
		",\"ready_path\":{\"work_ns\":%" PRIu64 ",\"scheduler_delay_ns\":%" PRIu64
		",\"busy_delay_ns\":%" PRIu64 "},\"delay_by_edge\":{",
		summary->span_ns, summary->parallelism, summary->bound_ns, b->path_work_ns,
		b->path_scheduler_delay_ns, b->path_busy_delay_ns);
	for (int e = 0; e < EDGE_KINDS; e++)
		fprintf(out, "%s\"%s\":%" PRIu64, e ? "," : "", edge_kind_name[e],
			b->delay_by_edge_ns[e]);
	fputs("},\"edges\":{", out);
	for (int e = 0; e < EDGE_KINDS; e++)
		fprintf(out, "%s\"%s\":%" PRIu64, e ? "," : "", edge_kind_name[e],
			summary->shape.n_edges[e]);
	fprintf(out, "},\"span_tasks\":%u", summary->shape.span_tasks);
	if (json_put_binding_path(out, summary) < 0)
		return -ENOMEM;
	if (summary->bounds && bounds_put_json(out, summary) < 0)
		return -ENOMEM;
	if (summary->compensate && compensated_put_json(out, summary) < 0)
		return -ENOMEM;
	if (summary->grains && grain_put_json(out, summary) < 0)
		return -ENOMEM;
	put_states(out, b->state);
	put_calls(out, b->call);
	put_table(out, lock_table(summary));
	put_table(out, wait_table(summary));
	put_end(out, "head_ns", summary->ends.head);
	put_end(out, "tail_ns", summary->ends.tail);
	machine_put_json(out, summary);
	put_losses(out, &summary->losses);
	put_clock(out, &summary->clock);
	put_window(out, summary);
	counters_put_json(out, summary);
	put_kinds(out, summary);
	json_put_steals(out, &summary->distributions);
	if (put_paths(out, summary) < 0)
		return -ENOMEM;
	put_workers(out, summary);
	put_teams(out, summary);
	put_findings(out, summary);
	fputs("}", out);
	return 0;
}

static void put_merged(FILE *out, const struct processes *all)
{
	fputs(",\"kinds\":[", out);
	for (uint32_t i = 0; i < all->n_kinds; i++) {
		const struct merged_kind *kind = &all->kind[i];
		struct place place = { .name = kind->name,
				       .file = kind->file,
				       .line = kind->line,
				       .module = kind->module };

		fputs(i ? ",{" : "{", out);
		json_put_place(out, "name", &place);
		fprintf(out, ",\"processes\":%u,\"tasks\":%" PRIu64 ",", kind->n_processes,
			kind->n_tasks);
		json_put_charge(out, &kind->charge);
		fprintf(out, ",\"min_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}", kind->min_ns,
			kind->max_ns);
	}
	fputs("]", out);
}

void json_total(FILE *out, const struct processes *all, uint32_t n_bad)
{
	uint64_t longest = all->n ? all->process[all->longest].sums.elapsed_ns : 0;
	uint64_t most = all->n ? all->process[all->most_work].sums.total.work_ns : 0;

	fprintf(out,
		"{\"processes\":%u,\"not_read\":%u,\"hosts\":%u,\"ranks\":%u,"
		"\"workers\":%" PRIu64 ",\"elapsed_max_ns\":%" PRIu64
		",\"elapsed_mean_ns\":%" PRIu64 ",\"elapsed_imbalance\":%.4f"
		",\"work_max_ns\":%" PRIu64 ",\"work_mean_ns\":%" PRIu64
		",\"work_imbalance\":%.4f,\"cumulative_ns\":%" PRIu64 ",",
		all->n, n_bad, all->n_hosts, all->n_ranks, all->sums.n_workers, longest,
		all->n ? all->sums.elapsed_ns / all->n : 0, processes_elapsed_imbalance(all), most,
		all->n ? all->sums.total.work_ns / all->n : 0, processes_work_imbalance(all),
		all->sums.cumulative_ns);
	json_put_charge(out, &all->sums.total);
	fprintf(out,
		",\"tasks\":%" PRIu64 ",\"strands\":%" PRIu64 ",\"steals\":%" PRIu64
		",\"migrations\":%" PRIu64 ",\"events_lost\":%" PRIu64 ",\"tracer_ns\":%" PRIu64
		",\"delay_by_edge\":{",
		all->sums.n_tasks, all->sums.n_strands, all->sums.n_moves[MOVE_STEAL],
		all->sums.n_moves[MOVE_MIGRATION], all->sums.n_lost, all->sums.tracer_ns);
	for (int e = 0; e < EDGE_KINDS; e++)
		fprintf(out, "%s\"%s\":%" PRIu64, e ? "," : "", edge_kind_name[e],
			all->sums.delay_by_edge_ns[e]);
	fputs("}", out);
	put_merged(out, all);
	fputs("}", out);
}

/* SPDX-License-Identifier: MIT */
/* json.c - writes a summary as JSON; times are integers of ns. */
#include "tools/export/json.h"

#include <inttypes.h>

#include "collector/plain.h"

/* Bytes that are no UTF-8 are written as U+FFFD, so that every reader takes the line. */
static void put_string(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*text) {
		unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
		size_t n = plain_bytes(text);

		if (first == '"' || first == '\\')
			fprintf(out, "\\%c", first);
		else if (n)
			fwrite(text, 1, n, out);
		else if (first < 0x80)
			fprintf(out, "\\u%04x", first);
		else if (plain_bad_bytes(text) == 2)
			fprintf(out, "\\u%04x", second);
		else
			fputs("\\ufffd", out);
		text += n ? n : plain_bad_bytes(text);
	}
	fputc('"', out);
}

static void put_charge(FILE *out, const struct charge *charge)
{
	fprintf(out,
		"\"work_ns\":%" PRIu64 ",\"delay_ns\":%" PRIu64 ",\"no_work_sched_ns\":%" PRIu64
		",\"no_work_app_ns\":%" PRIu64,
		charge->work_ns, charge->delay_ns, charge->no_work_sched_ns,
		charge->no_work_app_ns);
}

static void put_place(FILE *out, const struct place *place)
{
	fputs("\"name\":", out);
	put_string(out, place->name);
	fputs(",\"file\":", out);
	put_string(out, place->file);
	fprintf(out, ",\"line\":%u,\"module\":", place->line);
	put_string(out, place->module);
}

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
	fputs(",\"ended\":", out);
	put_string(out, defs_meta(defs, "ended"));
}

static void put_states(FILE *out, const struct charge state[STATES])
{
	fputs(",\"states\":{", out);
	for (int i = 0; i < STATES; i++) {
		if (i == STATE_RUNNING) {
			fprintf(out, "\"%s\":{\"work_ns\":%" PRIu64 "}", state_name[i],
				state[i].work_ns);
			continue;
		}
		fprintf(out,
			",\"%s\":{\"delay_ns\":%" PRIu64 ",\"no_work_sched_ns\":%" PRIu64
			",\"no_work_app_ns\":%" PRIu64 "}",
			state_name[i], state[i].delay_ns, state[i].no_work_sched_ns,
			state[i].no_work_app_ns);
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
				",\"from_ns\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64 ",",
				summary->dag->runtime[i].n_workers,
				summary->dag->runtime[i].n_tasks, row->n_steals, row->from_ns,
				row->elapsed_ns);
			put_charge(out, &row->total);
			put_states(out, row->state);
			fputs("}", out);
		} else {
			fprintf(out, ",\"workers\":%u,\"tasks\":0}", defs->runtime[i].n_workers);
		}
	}
	fputs("]", out);
}

static void put_kinds(FILE *out, const struct summary *summary)
{
	fputs(",\"kinds\":[", out);
	for (uint32_t i = 0; i < summary->n_rows; i++) {
		const struct kind_row *row = &summary->row[i];

		fputs(i ? ",{" : "{", out);
		put_place(out, &row->code);
		fprintf(out, ",\"what\":\"%s\",\"tasks\":%" PRIu64 ",",
			kind_what_name[summary->dag->kind_what[row->kind]], row->facts->n_tasks);
		put_charge(out, row->charge);
		fprintf(out, ",\"tracer_ns\":%" PRIu64, summary->breakdown.tracer_ns[row->kind]);
		fprintf(out,
			",\"min_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
			",\"site\":{",
			row->facts->min_ns, row->facts->median_ns, row->facts->max_ns);
		put_place(out, &row->site);
		fputs("}}", out);
	}
	fputs("]", out);
}

/* Regions whose teams were smaller than their runtime's P. */
static void put_teams(FILE *out, const struct summary *summary)
{
	fputs(",\"small_teams\":[", out);
	for (uint32_t i = 0; i < summary->teams.n; i++) {
		const struct team_row *row = &summary->teams.row[i];

		fputs(i ? ",{" : "{", out);
		put_place(out, &summary_row(summary, row->kind)->code);
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
		put_charge(out, &summary->breakdown.worker[w]);
		fputs("}", out);
		comma = ",";
	}
	fputs("]", out);
}

static void put_findings(FILE *out, const struct summary *summary)
{
	char what[FINDING_TEXT], advice[FINDING_TEXT], where[FINDING_TEXT];

	fputs(",\"findings\":[", out);
	for (uint32_t i = 0; i < summary->findings.n; i++) {
		const struct finding *finding = &summary->findings.finding[i];
		const struct place *place = &summary_row(summary, finding->kind)->code;

		summary_sentences(summary, finding, what, advice);
		place_text(where, sizeof(where), place);
		fprintf(out, "%s{\"id\":\"%s\",\"lost_ns\":%" PRIu64 ",\"where\":", i ? "," : "",
			finding_name[finding->id], finding->lost_ns);
		put_string(out, where);
		fputs(",\"what\":", out);
		put_string(out, what);
		fputs(",\"try\":", out);
		put_string(out, advice);
		fputs("}", out);
	}
	fputs("]", out);
}

/* One for each gap, by worker and time; what was not to be recorded is none. */
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

static void put_losses(FILE *out, const struct dag *dag)
{
	static const char *const why[WIRE_LOSSES] = { [WIRE_LOSS_RING] = "ring",
						      [WIRE_LOSS_STOPPED] = "stopped",
						      [WIRE_LOSS_SIZE] = "size",
						      [WIRE_LOSS_OLD] = "old",
						      [WIRE_LOSS_DIED] = "died" };
	const char *comma = "";

	fputs(",\"losses\":[", out);
	for (uint64_t i = 0; i < dag->n_gaps; i++) {
		const struct gap *gap = &dag->gap[i];

		if (gap->why == WIRE_LOSS_STOPPED)
			continue;
		fprintf(out,
			"%s{\"worker\":%u,\"events\":%" PRIu64 ",\"from_ns\":%" PRIu64
			",\"to_ns\":%" PRIu64 ",\"why\":\"%s\"}",
			comma, gap->worker, gap->n, gap->since_ns, gap->until_ns, why[gap->why]);
		comma = ",";
	}
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
	put_spans(out, &summary->select);
	fputs("],\"not_recorded\":[", out);
	put_spans(out, &summary->phases.stopped);
	fputs("],\"phases\":[", out);
	for (uint32_t i = 1; i < summary->phases.n; i++) {
		fputs(i > 1 ? ",{\"name\":" : "{\"name\":", out);
		put_string(out, summary->phases.name[i]);
		fputs(",", out);
		put_charge(out, &summary->breakdown.row[i]);
		fputs("}", out);
	}
	fputs("]", out);
}

void json_report(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;
	const struct breakdown *b = &summary->breakdown;

	fputs("{\"version\":1,\"file\":", out);
	put_string(out, summary->file->path);
	fputs(",\"command\":", out);
	put_string(out, defs_meta(summary->defs, "command"));
	put_identity(out, summary);
	fputs(",", out);
	put_runtimes(out, summary);
	fprintf(out, ",\"workers\":%u,\"elapsed_ns\":%" PRIu64 ",\"cumulative_ns\":%" PRIu64 ",",
		dag->n_workers, summary->elapsed_ns, summary->cumulative_ns);
	put_charge(out, &b->total);
	fprintf(out,
		",\"tasks\":%" PRIu64 ",\"strands\":%" PRIu64 ",\"steals\":%" PRIu64
		",\"tasks_begun\":%" PRIu64 ",\"tasks_ended\":%" PRIu64
		",\"tasks_cancelled\":%" PRIu64 ",\"tasks_never_begun\":%" PRIu64
		",\"tasks_of_unknown_kind\":%" PRIu64 ",\"events_lost\":%" PRIu64
		",\"threads_lost\":%" PRIu64 ",\"calls_lost\":%" PRIu64
		",\"marks_lost\":%" PRIu64 ",\"tasks_after_end\":%" PRIu64 ",\"tracer_ns\":%" PRIu64
		",\"complete\":%s,\"collector_died\":%s",
		summary->n_tasks, summary->n_strands, b->n_steals, summary->n_begun,
		summary->n_ended, dag->n_cancelled, summary->n_never, dag->n_untold, dag->n_lost,
		summary->losses.n_threads, summary->losses.n_calls + summary->losses.n_unplaced,
		summary->losses.n_marks,
		summary->losses.n_after, summary->tracer_ns,
		summary->file->ended ? "true" : "false",
		defs_meta(summary->defs, "collector_died") ? "true" : "false");
	fputs(",\"ended\":", out);
	put_string(out, defs_meta(summary->defs, "ended"));
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
	put_states(out, b->state);
	put_end(out, "head_ns", summary->head);
	put_end(out, "tail_ns", summary->tail);
	put_losses(out, dag);
	put_clock(out, &summary->clock);
	put_window(out, summary);
	put_kinds(out, summary);
	put_workers(out, summary);
	put_teams(out, summary);
	put_findings(out, summary);
	fputs("}", out);
}

static void put_merged(FILE *out, const struct processes *all)
{
	fputs(",\"kinds\":[", out);
	for (uint32_t i = 0; i < all->n_kinds; i++) {
		const struct merged_kind *kind = &all->kind[i];
		struct place place = { kind->name, kind->file, kind->line, kind->module };

		fputs(i ? ",{" : "{", out);
		put_place(out, &place);
		fprintf(out, ",\"processes\":%u,\"tasks\":%" PRIu64 ",", kind->n_processes,
			kind->n_tasks);
		put_charge(out, &kind->charge);
		fprintf(out, ",\"min_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}", kind->min_ns,
			kind->max_ns);
	}
	fputs("]", out);
}

void json_total(FILE *out, const struct processes *all, uint32_t n_bad)
{
	uint64_t longest = all->n ? all->process[all->longest].elapsed_ns : 0;
	uint64_t most = all->n ? all->process[all->most_work].total.work_ns : 0;

	fprintf(out,
		"{\"processes\":%u,\"not_read\":%u,\"hosts\":%u,\"ranks\":%u,"
		"\"workers\":%" PRIu64 ",\"elapsed_max_ns\":%" PRIu64
		",\"elapsed_mean_ns\":%" PRIu64 ",\"elapsed_imbalance\":%.4f"
		",\"work_max_ns\":%" PRIu64 ",\"work_mean_ns\":%" PRIu64
		",\"work_imbalance\":%.4f,\"cumulative_ns\":%" PRIu64 ",",
		all->n, n_bad, all->n_hosts, all->n_ranks, all->n_workers, longest,
		all->n ? all->elapsed_sum_ns / all->n : 0, processes_elapsed_imbalance(all), most,
		all->n ? all->total.work_ns / all->n : 0, processes_work_imbalance(all),
		all->cumulative_ns);
	put_charge(out, &all->total);
	fprintf(out,
		",\"tasks\":%" PRIu64 ",\"strands\":%" PRIu64 ",\"steals\":%" PRIu64
		",\"events_lost\":%" PRIu64 ",\"tracer_ns\":%" PRIu64 ",\"delay_by_edge\":{",
		all->n_tasks, all->n_strands, all->n_steals, all->n_lost, all->tracer_ns);
	for (int e = 0; e < EDGE_KINDS; e++)
		fprintf(out, "%s\"%s\":%" PRIu64, e ? "," : "", edge_kind_name[e],
			all->delay_by_edge_ns[e]);
	fputs("}", out);
	put_merged(out, all);
	fputs("}", out);
}

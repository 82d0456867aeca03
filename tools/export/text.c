/* SPDX-License-Identifier: MIT */
/* text.c - prints a summary for people. */
#include "tools/export/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/plain.h"
#include "tools/export/ends.h"
#include "tools/export/gaps.h"

#define BAR_CELLS 30
#define PHASES_SHOWN 12u /* `--by phase` has them all */
#define FINDINGS_MOST 3u /* the rest is in --json */
#define WIDTH_MOST 24	 /* of a program or host in a table */

char *text_time(char out[TEXT_TIME], uint64_t ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	int u = 0;

	if (ns == 0) {
		snprintf(out, TEXT_TIME, "0");
		return out;
	}
	while (u < 3 && value >= 999.5) {
		value /= 1000;
		u++;
	}
	snprintf(out, TEXT_TIME, "%.*f %s",
		 u == 0 || value >= 99.95 ? 0
		 : value >= 9.995	  ? 1
					  : 2,
		 value, unit[u]);
	return out;
}

void text_put(FILE *out, const char *text)
{
	for (size_t n; *text; text += n ? n : plain_bad_bytes(text)) {
		n = plain_bytes(text);
		if (n)
			fwrite(text, 1, n, out);
		else
			fputc('?', out);
	}
}

static void put_line(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	text_put(out, text);
	fputs(after, out);
}

/* The name of a runtime, and of its version. */
static void put_runtime(FILE *out, const struct defs_runtime *runtime)
{
	text_put(out, runtime->name ? runtime->name : "?");
	fputc(' ', out);
	text_put(out, runtime->version ? runtime->version : "");
}

static void put_header(FILE *out, const struct summary *summary)
{
	const struct defs *defs = summary->defs;
	const char *command = defs_meta(defs, "command"), *host = defs_meta(defs, "host");
	const char *recorded = defs_meta(defs, "recorded"), *cores = defs_meta(defs, "cores");
	time_t when = recorded ? (time_t)strtoll(recorded, NULL, 10) : 0;
	char text[TEXT_TIME], date[40] = "";
	struct tm tm;

	text_put(out, command ? command : summary->file->path);
	fputc('\n', out);
	if (recorded && localtime_r(&when, &tm))
		strftime(date, sizeof(date), ", %Y-%m-%d %H:%M", &tm);
	if (host) {
		fputs("on ", out);
		text_put(out, host);
		fputs(", ", out);
		text_put(out, cores ? cores : "?");
		fprintf(out, " cores%s; ", date);
	}
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fputs(i ? ", " : "", out);
		put_runtime(out, &defs->runtime[i]);
		fprintf(out, ", %u workers", defs->runtime[i].n_workers);
	}
	fprintf(out, "\n%" PRIu64 " tasks in %" PRIu64 " strands, %" PRIu64 " steals, over %s",
		summary->n_tasks, summary->n_strands, summary->breakdown.n_steals,
		text_time(text, summary->elapsed_ns));
	if (summary->select.part)
		fprintf(out, ", a part of %s", text_time(text, summary->dag->elapsed_ns));
	fprintf(out, "; recording took about %s\n", text_time(text, summary->tracer_ns));
}

/* Of a program that did not end as it should: how it did, and that nothing is missing for that. */
static void put_ending(FILE *out, const struct summary *summary)
{
	const char *ended = defs_meta(summary->defs, "ended");

	if (!summary->file->ended || !ended || strcmp(ended, "cleanly") == 0)
		return;
	if (strcmp(ended, "recovered") == 0)
		fprintf(out,
			"the program was killed, and all that it had recorded was recovered\n");
	else
		put_line(out, "the program ended ", ended,
			 summary->losses.n_after ? "\n" : "; all that it had recorded is here\n");
}

static void put_succession(FILE *out, const struct summary *summary)
{
	const char *before = defs_meta(summary->defs, "continues");

	if (!defs_meta(summary->defs, "collector_died"))
		return;
	fputs("the collector was killed during the run; the process collected the rest itself",
	      out);
	if (before)
		fputs(", into this new trace, as it could not go on with ", out);
	if (before)
		text_put(out, before);
	fputc('\n', out);
}

#define TRACER_TOLD 100u /* above a hundredth of elapsed x P */

/* That the recorder itself took much of the run. */
static void put_tracer(FILE *out, const struct summary *summary)
{
	const struct charge *tracer = &summary->breakdown.state[STATE_TRACER];
	uint64_t held = charge_sum(tracer);
	char text[3][TEXT_TIME];

	if (held <= summary->cumulative_ns / TRACER_TOLD)
		return;
	fprintf(out,
		"tptrace held workers for %s (delay %s, no-work %s): they waited for its "
		"collector\n",
		text_time(text[0], held), text_time(text[1], tracer->delay_ns),
		text_time(text[2], held - tracer->delay_ns));
}

/* What the reader must know before believing the rest. */
static void put_warnings(FILE *out, const struct summary *summary)
{
	const struct dag *dag = summary->dag;

	gaps_put(out, dag);
	losses_put(out, &summary->losses);
	gaps_put_stopped(out, &summary->phases);
	put_succession(out, summary);
	clock_put_faults(out, &summary->clock, summary->elapsed_ns);
	ends_put(out, summary);
	put_tracer(out, summary);
	for (uint32_t i = 0; i < summary->defs->n_runtimes; i++) {
		const struct defs_runtime *runtime = &summary->defs->runtime[i];

		if (!runtime->note)
			continue;
		text_put(out, runtime->name ? runtime->name : "?");
		fputs(": ", out);
		text_put(out, runtime->note);
		fputc('\n', out);
	}
	if (dag->n_found)
		fprintf(out, "%" PRIu64 " tasks ran whose creation was not recorded\n",
			dag->n_found);
	if (summary->file->missing[0])
		put_line(out, "INCOMPLETE: ", summary->file->missing, "\n");
	put_ending(out, summary);
	if (dag->n_untold)
		fprintf(out,
			"of %" PRIu64 " of %" PRIu64 " collapsed tasks the kind is not known: "
			"they are shared out among the kinds as the others are\n",
			dag->n_untold, dag->n_hidden_tasks);
	if (dag->n_cancelled)
		fprintf(out, "%" PRIu64 " tasks never began: they were cancelled\n",
			dag->n_cancelled);
	if (summary->n_never)
		fprintf(out, "%" PRIu64 " tasks were created and never began\n", summary->n_never);
	if (summary->n_unfinished)
		fprintf(out, "%" PRIu64 " tasks had begun and not ended when the trace ends\n",
			summary->n_unfinished);
}

static void put_bar(FILE *out, double share)
{
	int n = (int)(share * BAR_CELLS + 0.5);

	for (int i = 0; i < n; i++)
		fputc('#', out);
	fputc('\n', out);
}

static void put_component(FILE *out, const char *name, uint64_t ns, uint64_t of_ns)
{
	char text[TEXT_TIME];
	double share = of_ns ? (double)ns / (double)of_ns : 0;

	fprintf(out, "  %-18s %9s %5.1f%%  ", name, text_time(text, ns), 100 * share);
	put_bar(out, share);
}

static void put_breakdown(FILE *out, const struct summary *summary)
{
	const struct charge *total = &summary->breakdown.total;
	char text[TEXT_TIME];

	fprintf(out, "  elapsed x %-8u %9s 100.0%%\n", summary->dag->n_workers,
		text_time(text, summary->cumulative_ns));
	put_component(out, "work", total->work_ns, summary->cumulative_ns);
	put_component(out, "delay", total->delay_ns, summary->cumulative_ns);
	put_component(out, "no-work-sched", total->no_work_sched_ns, summary->cumulative_ns);
	put_component(out, "no-work-app", total->no_work_app_ns, summary->cumulative_ns);
	if (charge_sum(&summary->breakdown.state[STATE_TRACER]))
		put_component(out, "  held by tptrace",
			      charge_sum(&summary->breakdown.state[STATE_TRACER]),
			      summary->cumulative_ns);
}

static double percent(uint64_t ns, uint64_t of_ns)
{
	return of_ns ? 100 * (double)ns / (double)of_ns : 0;
}

static void put_padded(FILE *out, const char *text, int width)
{
	text_put(out, text);
	for (int n = (int)strlen(text); n < width; n++)
		fputc(' ', out);
}

/* Of each runtime, if there are several; what ran beside it does not count. */
static void put_runtimes(FILE *out, const struct summary *summary)
{
	if (summary->n_runtimes < 2)
		return;
	fprintf(out, "\n  %-16s %5s %9s %7s %7s %13s %11s %9s %9s\n", "runtime", "P", "elapsed",
		"work", "delay", "no-work-sched", "no-work-app", "tasks", "steals");
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct runtime_row *row = &summary->runtime[i];
		const struct dag_runtime *facts = &summary->dag->runtime[row->runtime];
		const char *name = summary->defs->runtime[row->runtime].name;
		uint64_t all = charge_sum(&row->total);
		char text[TEXT_TIME];

		fputs("  ", out);
		put_padded(out, name ? name : "?", 16);
		fprintf(out,
			" %5u %9s %6.1f%% %6.1f%% %12.1f%% %10.1f%% %9" PRIu64 " %9" PRIu64 "\n",
			facts->n_workers, text_time(text, row->elapsed_ns), percent(row->total.work_ns, all),
			percent(row->total.delay_ns, all),
			percent(row->total.no_work_sched_ns, all),
			percent(row->total.no_work_app_ns, all), facts->n_tasks, row->n_steals);
	}
}

#define TEAMS_MOST 4u
#define TEAMS_TOLD 100u /* a hundredth of elapsed */

/* P is what the largest team had. */
static void put_teams(FILE *out, const struct summary *summary)
{
	const struct teams *teams = &summary->teams;
	char text[TEXT_TIME], where[FINDING_TEXT];

	for (uint32_t i = 0; i < teams->n && i < TEAMS_MOST; i++) {
		const struct team_row *row = &teams->row[i];

		if (row->elapsed_ns < summary->elapsed_ns / TEAMS_TOLD)
			return;
		place_text(where, sizeof(where), &summary_row(summary, row->kind)->code);
		fputs(i ? "  " : "\n  ", out);
		text_put(out, where);
		fprintf(out, ": asked for %u", row->least);
		if (row->most > row->least)
			fprintf(out, " to %u", row->most);
		fprintf(out, " of %u workers, %" PRIu64 " times, %s in all\n", row->n_workers,
			row->n_times, text_time(text, row->elapsed_ns));
	}
}

static void put_path(FILE *out, const struct summary *summary)
{
	const struct breakdown *b = &summary->breakdown;
	char text[4][TEXT_TIME];

	fprintf(out, "  ready path: %s work, %s scheduler delay, %s busy delay\n",
		text_time(text[0], b->path_work_ns), text_time(text[1], b->path_scheduler_delay_ns),
		text_time(text[2], b->path_busy_delay_ns));
	fprintf(out, "  span %s, parallelism %.1f; no run on %u workers is shorter than %s\n",
		text_time(text[0], summary->span_ns), summary->parallelism, summary->dag->n_workers,
		text_time(text[1], summary->bound_ns));
	fprintf(out, "  delay by edge:");
	for (int e = 0; e < EDGE_KINDS; e++)
		if (b->delay_by_edge_ns[e])
			fprintf(out, " %s %s", edge_kind_name[e],
				text_time(text[0], b->delay_by_edge_ns[e]));
	fprintf(out, "%s\n", b->total.delay_ns ? "" : " none");
}

static void put_findings(FILE *out, const struct summary *summary)
{
	char what[FINDING_TEXT], advice[FINDING_TEXT], where[FINDING_TEXT], text[TEXT_TIME];

	for (uint32_t i = 0; i < summary->findings.n && i < FINDINGS_MOST; i++) {
		const struct finding *finding = &summary->findings.finding[i];

		summary_sentences(summary, finding, what, advice);
		place_text(where, sizeof(where), &summary_row(summary, finding->kind)->code);
		fprintf(out, "  %s lost: ", text_time(text, finding->lost_ns));
		text_put(out, where);
		fprintf(out, "\n    %s; %s\n", what, advice);
	}
}

static void put_phases(FILE *out, const struct summary *summary, const struct profile *profile,
		       const char *on, const char *off)
{
	struct profile phases;

	if (summary->phases.n == 1 || profile->by == BY_PHASE ||
	    profile_build(&phases, summary, BY_PHASE) < 0)
		return;
	fprintf(out, "\n%sin which phase%s\n", on, off);
	profile_text(out, &phases, summary->cumulative_ns, PHASES_SHOWN);
	profile_free(&phases);
}

void text_report(FILE *out, const struct summary *summary, const struct profile *profile,
		 uint32_t n_most, bool bold)
{
	const char *on = bold ? "\033[1m" : "", *off = bold ? "\033[0m" : "";

	put_header(out, summary);
	put_warnings(out, summary);
	fprintf(out, "\n%swhere the core-seconds went%s\n", on, off);
	put_breakdown(out, summary);
	put_runtimes(out, summary);
	put_teams(out, summary);
	fprintf(out, "\n");
	put_path(out, summary);
	put_phases(out, summary, profile, on, off);
	if (summary->findings.n)
		fprintf(out, "\n%swhat stands out%s\n", on, off);
	put_findings(out, summary);
	fprintf(out, "\n%swho is charged with them%s\n", on, off);
	profile_text(out, profile, summary->cumulative_ns, n_most);
}

/* ---- many processes ---- */

static const char *ended(const struct process *process)
{
	if (process->id.ended)
		return process->id.ended;
	return process->ended ? "whole" : process->live ? "running" : "not closed";
}

static void put_process(FILE *out, const struct process *process, int program, int host)
{
	uint64_t all = process->cumulative_ns;
	char text[TEXT_TIME], rank[24] = "-";

	if (process->id.has_rank)
		snprintf(rank, sizeof(rank), "%" PRIu64, process->id.rank);
	fprintf(out, "  %4s  ", rank);
	put_padded(out, process->id.program ? process->id.program : place_base(process->path),
		   program);
	fputs("  ", out);
	put_padded(out, process->id.host ? process->id.host : "-", host);
	fprintf(out, " %8" PRIu64 " %9s %4u %6.1f%% %6.1f%% %8.1f%% %7.1f%% %9" PRIu64 "  ",
		process->id.pid, text_time(text, process->elapsed_ns), process->n_workers,
		percent(process->total.work_ns, all), percent(process->total.delay_ns, all),
		percent(process->total.no_work_sched_ns, all),
		percent(process->total.no_work_app_ns, all), process->n_tasks);
	text_put(out, ended(process));
	fputc('\n', out);
}

static int wider(int width, const char *text)
{
	int n = text ? (int)strlen(text) : 0;

	return n > WIDTH_MOST ? WIDTH_MOST : n > width ? n : width;
}

static void put_processes(FILE *out, const struct processes *all)
{
	int program = 7, host = 4;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct process *process = &all->process[i];

		program = wider(program, process->id.program ? process->id.program
							     : place_base(process->path));
		host = wider(host, process->id.host);
	}
	fprintf(out, "  %4s  %-*s  %-*s %8s %9s %4s %7s %7s %9s %8s %9s  %s\n", "rank", program,
		"program", host, "host", "pid", "elapsed", "P", "work", "delay", "nw-sched",
		"nw-app", "tasks", "ended");
	for (uint32_t i = 0; i < all->n; i++)
		put_process(out, &all->process[i], program, host);
}

/* "rank 3", or "pid 4711". */
static const char *put_who(char *out, size_t room, const struct process *process)
{
	snprintf(out, room, "%s %" PRIu64, process->id.has_rank ? "rank" : "pid",
		 process->id.has_rank ? process->id.rank : process->id.pid);
	return out;
}

static void put_total(FILE *out, const struct processes *all)
{
	char text[TEXT_TIME], who[2][40];

	fprintf(out, "  %-18s %9s 100.0%%\n", "sum of elapsed x P",
		text_time(text, all->cumulative_ns));
	put_component(out, "work", all->total.work_ns, all->cumulative_ns);
	put_component(out, "delay", all->total.delay_ns, all->cumulative_ns);
	put_component(out, "no-work-sched", all->total.no_work_sched_ns, all->cumulative_ns);
	put_component(out, "no-work-app", all->total.no_work_app_ns, all->cumulative_ns);
	fprintf(out,
		"\n  imbalance: the most work is %.2f times the mean (%s), "
		"the longest run %.2f times (%s)\n",
		processes_work_imbalance(all),
		put_who(who[0], sizeof(who[0]), &all->process[all->most_work]),
		processes_elapsed_imbalance(all),
		put_who(who[1], sizeof(who[1]), &all->process[all->longest]));
}

static void put_merged(FILE *out, const struct merged_kind *kind, uint64_t cumulative_ns)
{
	char text[4][TEXT_TIME];

	fprintf(out, " %5.1f%% %9s %9s %9s %9s %9" PRIu64 " %9u  ",
		percent(charge_sum(&kind->charge), cumulative_ns),
		text_time(text[0], kind->charge.work_ns), text_time(text[1], kind->charge.delay_ns),
		text_time(text[2], kind->charge.no_work_sched_ns),
		text_time(text[3], kind->charge.no_work_app_ns), kind->n_tasks, kind->n_processes);
	text_put(out, kind->name);
	if (kind->file || kind->module) {
		fputs("  ", out);
		text_put(out, place_base(kind->file ? kind->file : kind->module));
	}
	if (kind->file)
		fprintf(out, ":%u", kind->line);
	fputc('\n', out);
}

void text_processes(FILE *out, const struct processes *all, uint32_t n_most, bool bold)
{
	const char *on = bold ? "\033[1m" : "", *off = bold ? "\033[0m" : "";
	char text[TEXT_TIME];

	fprintf(out,
		"%u processes on %u hosts, %" PRIu64 " tasks on %" PRIu64
		" workers, the longest over %s\n\n",
		all->n, all->n_hosts, all->n_tasks, all->n_workers,
		text_time(text, all->process[all->longest].elapsed_ns));
	put_processes(out, all);
	if (all->n_lost)
		fprintf(out, "LOST: %" PRIu64 " events were dropped because a ring was full\n",
			all->n_lost);
	fprintf(out, "\n%swhere the core-seconds of all went%s\n", on, off);
	put_total(out, all);
	fprintf(out, "\n%swho is charged with them%s\n", on, off);
	fprintf(out, " share      work     delay  nw-sched    nw-app     tasks processes  kind\n");
	for (uint32_t i = 0; i < all->n_kinds && i < n_most; i++)
		put_merged(out, &all->kind[i], all->cumulative_ns);
	if (all->n_kinds > n_most)
		fprintf(out, " (%u more)\n", all->n_kinds - n_most);
}

/* SPDX-License-Identifier: MIT */
/* screen_processes.c - a line for each process, and their sums. */
#include <inttypes.h>

#include "tools/base/xalloc.h"
#include "tools/base/units.h"
#include "tools/table/apart.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"
#include "tools/report/job_groups.h"
#include "tools/report/machine_facts.h"
#include "tools/report/screen.h"
#include "tools/report/screen_bar.h"
#include "tools/report/screen_parts.h"
#include "tools/summary/verdict.h"
#include "tools/base/base_name.h"
#include "tools/base/ratio.h"

static const char *ended(const struct process *process)
{
	if (process->id.ended)
		return process->id.ended;
	return process->ended ? "whole" : process->live ? "running" : "not closed";
}

/* ---- a line for each ---- */

enum { PID, ELAPSED, WORKERS, WORK, DELAY, SCHED, APP, TASKS, ENDED, COLUMNS };

static const struct {
	const char *title;
	int width;
} columns[COLUMNS] = {
	[PID] = { "pid", 9 },	 [ELAPSED] = { "elapsed", 9 }, [WORKERS] = { "P", 5 },
	[WORK] = { "work", 8 },	 [DELAY] = { "delay", 8 },     [SCHED] = { "nw-sched", 9 },
	[APP] = { "nw-app", 8 }, [TASKS] = { "tasks", 10 },    [ENDED] = { "  ended", 12 },
};
/* What is left out first where lines would be too long; names go last, down to NAME_LEAST. */
static const int unimportant[] = { PID, ENDED, TASKS, SCHED, APP, DELAY };

#define NAME_LEAST 8
#define NAME_MOST 24 /* of a program, trace or host */
#define RANK 6

struct layout {
	FILE *out;
	int who, name, host; /* columns of names */
	bool shown[COLUMNS];
	bool ranks, traces; /* what each line is of */
};

static int wider(int width, const char *text)
{
	int n = text ? fit_columns(text) : 0;

	return n > NAME_MOST ? NAME_MOST : n > width ? n : width;
}

/* Runs that are not of one job are told apart by their traces. */
static const char *process_name(const struct layout *layout, const struct process *process)
{
	return process->id.program && !layout->traces ? process->id.program
						      : path_base(process->path);
}

/* "1", "1 of world 2", or the pid. */
static const char *number_of(const struct layout *layout, const struct process *process,
			     char who[RANK_NAME])
{
	const struct identity *id = &process->id;

	if (layout->ranks && id->has_rank)
		return units_rank(who, id->rank, id->nth_world);
	if (layout->ranks)
		return "-";
	snprintf(who, RANK_NAME, "%" PRIu64, id->pid);
	return who;
}

static struct layout layout_of(FILE *out, const struct processes *all, const struct look *look)
{
	struct layout layout = { out, RANK, 7, 4, { false }, all->n_ranks > 0, all->n_jobs > 1 };
	char who[RANK_NAME];

	for (uint32_t i = 0; i < all->n; i++) {
		layout.who = wider(layout.who, number_of(&layout, &all->process[i], who));
		layout.name = wider(layout.name, process_name(&layout, &all->process[i]));
		layout.host = wider(layout.host, all->process[i].id.host);
	}
	int left = (int)look->width - layout.who - 4;

	for (int c = 0; c < COLUMNS; c++) {
		layout.shown[c] = c != PID || layout.ranks;
		left -= layout.shown[c] ? columns[c].width : 0;
	}
	for (size_t i = 0; i < sizeof(unimportant) / sizeof(unimportant[0]); i++) {
		int c = unimportant[i];

		if (left >= layout.name + layout.host || !layout.shown[c])
			continue;
		layout.shown[c] = false;
		left += columns[c].width;
	}
	while (layout.name + layout.host > left &&
	       (layout.name > NAME_LEAST || layout.host > NAME_LEAST))
		--*(layout.name >= layout.host ? &layout.name : &layout.host);
	return layout;
}

/* A cell of the column: of text for ENDED, else to the right. */
static void put_cell(const struct layout *layout, int column, const char *text)
{
	if (!layout->shown[column])
		return;
	if (column == ENDED) {
		fputs("  ", layout->out);
		put_text(layout->out, text);
	} else {
		fprintf(layout->out, "%*s", columns[column].width, text);
	}
}

static void put_share(const struct layout *layout, int column, uint64_t ns, uint64_t all)
{
	char text[16];

	snprintf(text, sizeof(text), "%.1f%%", percent(ns, all));
	put_cell(layout, column, text);
}

static void put_count(const struct layout *layout, int column, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	put_cell(layout, column, text);
}

static void put_process(const struct layout *layout, const struct process *process)
{
	uint64_t all = process->sums.cumulative_ns;
	char text[UNITS_TIME], who[RANK_NAME];

	fprintf(layout->out, "%*s  ", layout->who, number_of(layout, process, who));
	fit_name(layout->out, process_name(layout, process), "", layout->name);
	fputs("  ", layout->out);
	fit_name(layout->out, process->id.host ? process->id.host : "-", "", layout->host);
	put_count(layout, PID, process->id.pid);
	put_cell(layout, ELAPSED, units_time(text, process->sums.elapsed_ns));
	put_count(layout, WORKERS, process->sums.n_workers);
	put_share(layout, WORK, process->sums.total.work_ns, all);
	put_share(layout, DELAY, process->sums.total.delay_ns, all);
	put_share(layout, SCHED, process->sums.total.no_work_sched_ns, all);
	put_share(layout, APP, process->sums.total.no_work_app_ns, all);
	put_count(layout, TASKS, process->sums.n_tasks);
	put_cell(layout, ENDED, ended(process));
	fputc('\n', layout->out);
}

static void put_processes(FILE *out, const struct processes *all, const struct look *look)
{
	struct layout layout = layout_of(out, all, look);

	fprintf(out, "%*s  %-*s  %-*s", layout.who, layout.ranks ? "rank" : "pid", layout.name,
		layout.traces ? "trace" : "program", layout.host, "host");
	for (int c = 0; c < COLUMNS; c++)
		if (layout.shown[c])
			fprintf(out, "%*s", c == ENDED ? 0 : columns[c].width, columns[c].title);
	fputc('\n', out);
	for (uint32_t i = 0; i < all->n; i++)
		put_process(&layout, &all->process[i]);
}

static void put_missing(FILE *out, const struct processes *all)
{
	uint64_t first, n = processes_missing(all, &first);

	if (n == 1)
		fprintf(out, "MISSING: rank %" PRIu64 " has no trace here\n", first);
	else if (n)
		fprintf(out,
			"MISSING: %" PRIu64 " ranks have no trace here, rank %" PRIu64
			" the first\n",
			n, first);
}

/* ---- all together ---- */

static void put_total(FILE *out, const void *of)
{
	const struct processes *all = of;
	char text[UNITS_TIME], who[2][RANK_NAME];

	fprintf(out, "  %-18s %9s 100.0%%\n", "sum of elapsed x P",
		units_time(text, all->sums.cumulative_ns));
	screen_put_charge(out, &all->sums.total, all->sums.cumulative_ns);
	fprintf(out,
		"\n  imbalance: the most work is %.2f times the mean (%s), "
		"the longest run %.2f times (%s)\n",
		processes_work_imbalance(all),
		identity_who(who[0], &all->process[all->most_work].id),
		processes_elapsed_imbalance(all),
		identity_who(who[1], &all->process[all->longest].id));
}

#define MERGED 63 /* columns of numbers */
#define MERGED_FEW 35

/* The four components where there is room for them beside a name, else work alone. */
static void put_merged(FILE *out, const struct merged_kind *kind, uint64_t cumulative_ns, bool wide)
{
	const struct charge *charge = &kind->charge;
	char text[4][UNITS_TIME];

	fprintf(out, "%6.1f%%%9s", percent(charge_sum(charge), cumulative_ns),
		units_time(text[0], charge->work_ns));
	if (wide)
		fprintf(out, "%9s%9s%9s", units_time(text[1], charge->delay_ns),
			units_time(text[2], charge->no_work_sched_ns),
			units_time(text[3], charge->no_work_app_ns));
	fprintf(out, "%9" PRIu64 "%*u\n", kind->n_tasks, wide ? 11 : 10, kind->n_processes);
}

static void add_merged(struct apart *names, const struct merged_kind *kind)
{
	char where[300];

	apart_add(names, kind->place.name, place_where(where, sizeof(where), &kind->place));
}

static void put_all_merged(FILE *out, const struct processes *all, const struct look *look)
{
	bool wide = look->width >= MERGED + MERGED_FEW;
	int room = (int)look->width - (wide ? MERGED : MERGED_FEW);
	AT_END(apart_free) struct apart names = { 0 };

	fprintf(out, "%-*s%7s%9s%s%9s%*s\n", room, "kind", "share", "work",
		wide ? "    delay nw-sched   nw-app" : "", "tasks", wide ? 11 : 10, "processes");
	for (uint32_t i = 0; i < all->n_kinds && i < look->n_most; i++)
		add_merged(&names, &all->kind[i]);
	apart_fit(&names, room);
	for (uint32_t i = 0; i < all->n_kinds && i < look->n_most; i++) {
		apart_put(out, &names, i);
		put_merged(out, &all->kind[i], all->sums.cumulative_ns, wide);
	}
	if (all->n_kinds > look->n_most)
		fprintf(out, "(%u more)\n", all->n_kinds - look->n_most);
}

/* Runs are not added up. */
static void put_apart(FILE *out, const void *of)
{
	const struct processes *all = of;

	fprintf(out, "\nnot added up, since these are %u runs: compare them with `tptrace diff",
		all->n_jobs);
	for (uint32_t i = 0; all->n == 2 && i < 2; i++) {
		fputc(' ', out);
		put_text(out, all->process[i].path);
	}
	fputs("`, or add --together\n", out);
}

/* ---- how it went ---- */

struct of_job {
	const struct processes *all;
	const struct job *job;
};

/* What no figure is about. */
static void put_outside(FILE *out, const struct process_sums *sums)
{
	double outside = ratio(sums->outside_ns, sums->outside_ns + sums->elapsed_ns);

	if (outside >= OUTSIDE_TOLD)
		fprintf(out,
			"  all this is about %.0f %% of the processes' time: the rest lies before "
			"their first calls of the runtime, or after the last\n",
			100 - 100 * outside);
}

/* What workers were in, and what the job's length came from. */
static void put_course(FILE *out, const void *of)
{
	const struct processes *all = ((const struct of_job *)of)->all;
	const struct job *job = ((const struct of_job *)of)->job;
	const struct job_path *path = &job->path;
	const struct least least = { all->sums.total.work_ns, job->span_ns, 0 };
	const struct job_rank *rank = path->n_parts ? &job->rank[path->part->rank] : NULL;
	char text[3][UNITS_TIME], times[UNITS_TIMES], where[300], who[RANK_NAME];

	fputs("  workers were", out);
	for (int i = 0; i < STATES; i++) {
		uint64_t ns = charge_sum(&all->sums.state[i]);

		if (state_seen(all->sums.state, i))
			fprintf(out, "%s %.1f %% %s%s", i ? "," : "",
				percent(ns, all->sums.cumulative_ns), state_said[i],
				i == STATE_BLOCKED && ns ? " (--each says by what)" : "");
	}
	fputc('\n', out);
	if (job->replay.match)
		fprintf(out, "  ready path: %s work, %s delay, %s in MPI",
			units_time(text[0], path->work_ns), units_time(text[1], path->delay_ns),
			units_time(text[2], path->message_ns));
	if (path->n_crossings)
		fprintf(out, ", from rank to rank %s", units_times(times, path->n_crossings));
	if (rank)
		fprintf(out, "; most of it works %s in %s: %s",
			identity_rank(who, rank->rank, rank->nth_world),
			place_text(where, sizeof(where), &job->place[path->part->kind]),
			units_time(text[0], path->part->work_ns));
	if (job->replay.match)
		fputc('\n', out);
	machine_put_span(out, &all->sums.on_cpu, &least, all->sums.n_workers,
			 job_bound_ns(job, all));
	put_outside(out, &all->sums);
}

static void put_head(FILE *out, const void *of)
{
	const struct processes *all = of;
	char text[UNITS_TIME];

	fprintf(out,
		"%u process%s on %u host%s, %" PRIu64 " task%s on %" PRIu64
		" worker%s, the longest over %s\n\n",
		all->n, all->n == 1 ? "" : "es", all->n_hosts, units_s(all->n_hosts),
		all->sums.n_tasks, units_s(all->sums.n_tasks), all->sums.n_workers,
		units_s(all->sums.n_workers),
		units_time(text, all->process[all->longest].sums.elapsed_ns));
}

/* ---- what ranks waited for ---- */

static void put_matched(FILE *out, const void *of)
{
	const struct job *job = of;
	const struct job_match *match = &job->match;
	const struct job_waits *waits = &job->waits;
	const struct replay_network *network = &job->replay.network;
	char text[2][UNITS_TIME];

	fprintf(out, "  MPI: %" PRIu64 " message%s and %" PRIu64 " collective call%s matched; ",
		match->n_messages, units_s(match->n_messages), match->n_collectives,
		units_s(match->n_collectives));
	fprintf(out, "tasks were in calls for %s, of which they waited %s for late ranks\n",
		units_time(text[0], waits->in_calls_ns), units_time(text[1], waits->late_ns));
	if (waits->idle_ns)
		fprintf(out, "  meanwhile other workers of these ranks had nothing to run for %s\n",
			units_time(text[0], waits->idle_ns));
	if (waits->cpu_wait_ns)
		fprintf(out, "  during %s of these waits the late ranks waited for a CPU\n",
			units_time(text[0], waits->cpu_wait_ns));
	if (match->n_unmatched)
		fprintf(out,
			"  %" PRIu64 " end%s of messages and collective calls have no other end in "
			"these traces: one is missing, or the call came before a rank's first "
			"task\n",
			match->n_unmatched, units_s(match->n_unmatched));
	if (match->n_unknown)
		fprintf(out,
			"  %" PRIu64
			" end%s of messages and collective calls are not matched: their "
			"communicators are not known\n",
			match->n_unknown, units_s(match->n_unknown));
	if (network->latency_ns > 0)
		fprintf(out, "  the network: latency %s",
			units_time(text[0], (uint64_t)network->latency_ns));
	if (network->byte_ns > 0)
		fprintf(out, ", %.1f GB/s", 1 / network->byte_ns);
	if (network->latency_ns > 0)
		fprintf(out, ", by the fastest of %" PRIu64 " message%s that ranks waited for\n",
			network->n, units_s(network->n));
	if (job->clock.n_apart > waits->n_apart)
		fprintf(out, "  the clocks of the hosts are compared by these, to within %s\n",
			units_time(text[0], job->clock.error_ns));
	if (waits->n_apart)
		fprintf(out,
			"  %" PRIu64
			" of the matched are between hosts whose clocks cannot be compared: "
			"who was late is not known\n",
			waits->n_apart);
}

static void put_job(FILE *out, const struct job *job, const struct look *look)
{
	uint32_t n =
		look->verbose || job->n_found < SCREEN_FINDINGS ? job->n_found : SCREEN_FINDINGS;
	FREED const struct finding **shown = xcalloc(n + 1ull, sizeof(*shown));
	int at = 15;

	if (job->n_ranks)
		fit_output(out, put_matched, job, (int)look->width);
	if (n)
		fputc('\n', out);
	for (uint32_t i = 0; i < n; i++) {
		shown[i] = job->found[i].finding;
		screen_put_finding(out, i + 1, &job->found[i], look);
	}
	if (job->n_found > n)
		at += fprintf(out, "               %u more: --verbose   ", job->n_found - n) - 15;
	else if (n)
		fprintf(out, "%*s", at, "");
	if (n)
		screen_put_hint(out, shown, n, at, look);
}

static void put_if_any(FILE *out, const char *before, struct table table, const struct look *look)
{
	if (table.n) {
		fputs(before, out);
		table_put_text(out, &table, look);
	}
	table_close(&table);
}

void screen_processes(FILE *out, const struct processes *all, const struct job *job,
		      enum profile_by by, const struct look *look)
{
	const struct of_job course = { all, job };
	const char *on = look->bold ? "\033[1m" : "", *off = look->bold ? "\033[0m" : "";

	fit_output(out, put_head, all, (int)look->width);
	put_processes(out, all, look);
	if (all->n_jobs <= 1)
		put_missing(out, all);
	if (all->sums.n_lost)
		fprintf(out, "LOST: %" PRIu64 " events; --each says why\n", all->sums.n_lost);
	if (all->n_jobs > 1) {
		fit_output(out, put_apart, all, (int)look->width);
		return;
	}
	fprintf(out, "\n%swhere the core-seconds of all went%s\n", on, off);
	fit_output(out, put_total, all, (int)look->width);
	fit_output(out, put_course, &course, (int)look->width);
	put_job(out, job, look);
	put_if_any(out, "\n", job_ifs_table(&job->ifs), look);
	put_if_any(out, "\n", job_phases_table(all), look);
	bool groups = by == BY_RANK || by == BY_HOST;

	fprintf(out, "\n%score-seconds by %s%s\n", on, profile_by_name[groups ? by : BY_KIND], off);
	if (groups)
		put_if_any(out, "", job_groups_table(all, job, by == BY_HOST), look);
	else
		put_all_merged(out, all, look);
}

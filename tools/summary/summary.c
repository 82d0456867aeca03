/* SPDX-License-Identifier: MIT */
/* summary.c - runs the analyses. */
#include "tools/summary/hottest.h"
#include "tools/summary/summary.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/course.h"
#include "tools/analysis/crossed.h"
#include "tools/analysis/findings/ahead.h"
#include "tools/analysis/findings/rounds.h"
#include "tools/analysis/part_tallies.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/span.h"
#include "tools/base/at_most.h"
#include "tools/base/threads.h"
#include "tools/base/xalloc.h"
#include "tools/summary/path_rows.h"
#include "tools/summary/regrouped.h"

/* Over the time of its own activity, if the process has tasks of others, too. */
static void build_runtime(struct summary *summary, struct runtime_row *row)
{
	const struct select *select = run_selected(summary->run);
	bool alone = summary->n_runtimes == 1;
	AT_END(select_free) struct select own = { 0 };
	AT_END(breakdown_free) struct breakdown breakdown = { 0 };

	if (!alone) {
		activity_select(summary->dag, row->runtime, select, &own);
		select = &own;
	}
	breakdown_build_of(&breakdown, summary->dag, row->runtime, &summary->pauses, select);
	row->total = breakdown.total;
	memcpy(row->state, breakdown.state, sizeof(row->state));
	memcpy(row->n_moves, breakdown.n_moves, sizeof(row->n_moves));
	row->from_ns = own.n ? own.span[0].from_ns : 0;
	row->elapsed_ns = alone ? summary->run->select.total_ns : own.total_ns;
}

/* With only one runtime, the breakdown is its own, unless one without tasks has workers, too. */
static void build_runtimes(struct summary *summary)
{
	const struct dag *dag = summary->dag;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks)
			summary->runtime[summary->n_runtimes++] =
				(struct runtime_row){ .runtime = r };
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		struct runtime_row *row = &summary->runtime[i];

		if (summary->n_runtimes > 1 ||
		    dag->runtime[row->runtime].n_workers != dag->n_workers) {
			build_runtime(summary, row);
			continue;
		}
		row->total = summary->breakdown.total;
		memcpy(row->state, summary->breakdown.state, sizeof(row->state));
		memcpy(row->n_moves, summary->breakdown.n_moves, sizeof(row->n_moves));
		row->elapsed_ns = summary->run->select.total_ns;
	}
}

static void count_tasks(struct summary *summary)
{
	const struct dag *dag = summary->dag;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		uint8_t state = dag->task_state[t];

		summary->n_never += !(state & (TASK_BEGUN | TASK_CANCELLED | TASK_EMPTY));
		summary->n_unfinished +=
			state & TASK_BEGUN && !(state & TASK_ENDED) && dag->task_kind[t] != 0;
	}
}

#define EVENT_MOST_PS 1000000u	   /* a thousand ns an event: not a measurement, .. */
#define READING_MOST_PS 100000000u /* .. unless counters are read */

/* What the recorder measured at its start that an event takes. */
static uint64_t event_ps(const struct defs *defs)
{
	uint64_t ps = defs_meta_number(defs, "event_cost_ps");

	return ps > (defs->n_counters ? READING_MOST_PS : EVENT_MOST_PS) ? 0 : ps;
}

static uint64_t count_strands(const struct dag *dag, const struct select *select)
{
	uint64_t n_collapsed = 2 * dag->n_collapsed_tasks + dag->n_collapsed_waits;
	uint64_t n = (uint64_t)((double)n_collapsed * part_of_collapsed(dag, select));

	if (!select || !select->part)
		return dag->n_strands - dag->n_nodes + n_collapsed;
	for (strand_id s = 0; s < dag->n_strands; s++)
		n += !dag_is_node(dag, s) && select_has(select, dag_start(dag, s), dag_end(dag, s));
	return n;
}

const struct rows *summary_sites(const struct summary *summary, const struct breakdown **of)
{
	bool apart = summary->by_site.rows.n > 0;

	*of = apart ? &summary->by_site.breakdown : &summary->breakdown;
	return apart ? &summary->by_site.rows : &summary->rows;
}

/* ---- on all threads ---- */

struct work;
/* Each writes its own part of the summary, and reads no other's of its round. */
typedef void job(struct work *work);

/* The analyses on their way. */
struct work {
	struct summary *summary;
	const struct select *select;
	unsigned wanted;
	struct ready_path path;
	struct ahead ahead;
	struct rounds rounds;
	struct findings_of of;
	struct clues *clues;
	job *const *jobs; /* of this round */
};

static void find_path(struct work *work)
{
	ready_path_build(&work->path, work->summary->dag, RUNTIMES_ALL);
}

static void find_pauses(struct work *work)
{
	pauses_find(&work->summary->pauses, work->summary->dag);
}

static void look_ahead(struct work *work)
{
	ahead_build(&work->ahead, &work->rounds, work->summary->dag);
}

static void find_facts(struct work *work)
{
	struct summary *summary = work->summary;

	summary->facts = xcalloc(summary->dag->n_kinds + 1ull, sizeof(*summary->facts));
	kinds_of(summary->dag, work->select, summary->facts);
}

static void find_paths(struct work *work)
{
	struct summary *summary = work->summary;
	AT_END(rows_free) struct rows names = { 0 };

	if (!(work->wanted & SUMMARY_PATHS))
		return;
	summary->paths = xcalloc(1, sizeof(*summary->paths));
	rows_name(&names, summary->run, summary->dag);
	path_rows_open(summary->paths, summary, names.code);
}

static void gather_clues(struct work *work)
{
	work->clues = findings_gather(&work->of);
	ahead_free(&work->ahead);
}

/* Whether there are rows by site, which the kinds' own are not. */
static bool wants_sites(const struct work *work)
{
	return work->wanted & SUMMARY_SITES && work->summary->run->by_site.n_kinds;
}

/* By kind, and by what else is wanted. */
static void break_down(struct work *work)
{
	struct summary *summary = work->summary;
	struct breakdown_of of[CROSSED_MOST] = { { summary->dag, &summary->breakdown } };
	struct charge_bins *bins = NULL;
	uint32_t n = 1;

	if (wants_sites(work))
		of[n++] = (struct breakdown_of){ &summary->run->by_site,
						 &summary->by_site.breakdown };
	if (summary->paths)
		of[n++] = (struct breakdown_of){ &summary->paths->paths.dag,
						 &summary->paths->by.breakdown };
	if (work->wanted & SUMMARY_DRAWN) {
		bins = &summary->drawn.bins;
		charge_bins_open(bins, summary->dag->elapsed_ns, drawn_bins(summary->dag));
	}
	breakdown_build_all(of, n, &work->path, &summary->pauses, work->select, bins);
	build_runtimes(summary);
}

static void find_sites(struct work *work)
{
	struct by_site *by_site = &work->summary->by_site;

	if (!wants_sites(work))
		return;
	regrouped_facts(&work->summary->run->by_site, work->select, &by_site->facts,
			&by_site->counts);
}

static void find_path_facts(struct work *work)
{
	struct path_rows *paths = work->summary->paths;

	if (!paths)
		return;
	regrouped_facts(&paths->paths.dag, work->select, &paths->by.facts, &paths->by.counts);
}

/* After all jobs. */
static void build_rows(struct work *work)
{
	struct summary *summary = work->summary;
	const struct run *run = summary->run;
	struct by_site *by_site = &summary->by_site;

	rows_build(&summary->rows, run, summary->dag, summary->facts, &summary->breakdown);

	if (wants_sites(work))
		rows_build(&by_site->rows, run, &run->by_site, by_site->facts, &by_site->breakdown);
	if (summary->paths)
		path_rows_sort(summary->paths);
}

static void find_distributions(struct work *work)
{
	if (!(work->wanted & SUMMARY_DETAILS))
		return;
	distributions_build(&work->summary->distributions, work->summary->dag, work->select);
}

static void find_waits(struct work *work)
{
	struct summary *summary = work->summary;

	if (!(work->wanted & SUMMARY_DETAILS))
		return;
	wait_sites_find(&summary->waits, summary->dag, &summary->pauses, work->select);
}

static void find_shape(struct work *work)
{
	if (!(work->wanted & SUMMARY_DETAILS))
		return;
	shape_of(work->summary->dag, work->select, &work->summary->shape);
}

static void find_span(struct work *work)
{
	struct summary *summary = work->summary;

	if (work->wanted & SUMMARY_DRAWN && !work->select)
		critical_path_build(&summary->drawn.critical, summary->dag, &summary->span_ns);
	else
		span_of(summary->dag, work->select, &summary->span_ns);
}

static void find_locks(struct work *work)
{
	locks_find(&work->summary->locks, work->summary->dag, work->select);
}

static void find_binding(struct work *work)
{
	struct summary *summary = work->summary;

	if (work->wanted & SUMMARY_PATHS)
		binding_path_sums(&summary->binding,
				  work->wanted & SUMMARY_DRAWN ? &summary->drawn.binding : NULL,
				  summary->dag, work->select);
}

static void find_rest(struct work *work)
{
	struct summary *summary = work->summary;

	counted_build(&summary->counts, summary->dag, work->select);
	teams_find(&summary->teams, summary->dag, work->select);
	machine_rows_build(&summary->machine, &summary->run->machine, summary->dag, work->select);
}

/*
 * In three rounds, so that few of those that need much memory while they run do so at once.  What
 * the others read; what is printed in any case; and details.  What they leave behind lasts, so who
 * leaves most comes last in the first round.  In the others, the longest come first.
 */
#define JOBS_MOST 6u
static job *const jobs[][JOBS_MOST] = {
	{ find_span, find_facts, find_pauses, find_path, find_paths, look_ahead },
	{ gather_clues, break_down, find_locks, find_rest },
	{ find_distributions, find_waits, find_shape, find_binding, find_path_facts, find_sites },
};

static void run_job(void *context, uint32_t i)
{
	struct work *work = context;

	if (work->jobs[i])
		work->jobs[i](work);
}

static void run_jobs(struct work *work, uint32_t round)
{
	work->jobs = jobs[round];
	threads_run(threads_for(work->summary->dag->n_strands), run_job, work, JOBS_MOST);
	malloc_trim(0); /* what a thread freed is no use to another one, and is resident */
}

/* ---- all of it ---- */

/* All that walks over the graph. */
static void analyse(struct summary *summary, const struct select *select, unsigned wanted)
{
	struct work work = { .summary = summary, .select = select, .wanted = wanted };

	run_jobs(&work, 0);
	work.of = regrouped_findings_of(summary, &work.path);
	work.of.ahead = &work.ahead;
	work.of.rounds = &work.rounds;
	work.of.select = select;
	run_jobs(&work, 1);
	run_jobs(&work, 2);
	build_rows(&work);
	sampled_open(&summary->sampled, summary->run, &summary->pauses);
	code_rows_build(&summary->code, &summary->sampled, summary->run);
	crowded_build(&summary->crowded, summary, summary->baseline);
	work.of.stretch = summary->crowded.kind;
	findings_build(&summary->findings, &work.of, work.clues);
	hottest_tell(&summary->findings, &summary->code);
	ahead_free(&work.ahead);
	rounds_free(&work.rounds);
	if (wanted & SUMMARY_DRAWN)
		summary->drawn.path = work.path;
	else
		ready_path_free(&work.path);
}

/* What follows from the analyses, and what the trace says of itself. */
static void complete(struct summary *summary, const struct select *select)
{
	const struct run *run = summary->run;
	const struct dag *dag = summary->dag;
	uint64_t work = summary->breakdown.total.work_ns;

	count_tasks(summary);
	summary->ends = ends_of(run);
	summary->elapsed_ns = run->select.total_ns;
	summary->cumulative_ns = summary->elapsed_ns * dag->n_workers;
	summary->n_strands = count_strands(dag, select);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		summary->n_tasks += summary->facts[k].n_tasks;
	summary->n_begun = dag->n_begun + dag->n_collapsed_tasks;
	summary->n_ended = dag->n_ended + dag->n_collapsed_tasks;
	summary->losses = losses_of(run->reader, dag);
	summary->clock = clock_facts_of(run->reader, dag);
	summary->event_ps = summary->findings.event_ps;
	summary->tracer_ns = summary->findings.tracer_ns;
	if (summary->span_ns)
		summary->parallelism = (double)work / (double)summary->span_ns;
	summary->least = (struct least){ work, summary->span_ns, summary->locks.serial_ns };
	summary->bound_ns = dag->n_workers ? least_on(&summary->least, dag->n_workers) : 0;
	summary->on_cpu = machine_on_cpu(&run->machine, &summary->machine.total, dag);
	if (summary->on_cpu.inflated)
		summary->bound_ns = summary->on_cpu.least_ns / summary->on_cpu.width;
}

void summary_build_beside(struct summary *summary, const struct run *run, unsigned wanted,
			  const struct summary *baseline)
{
	const struct select *select = run_selected(run);

	*summary = (struct summary){ .run = run,
				     .file = reader_facts(run->reader),
				     .defs = reader_defs(run->reader),
				     .dag = &run->dag,
				     .calls = wanted & SUMMARY_CALLS,
				     .baseline = baseline,
				     .burden_ns = BOUNDS_MEASURE };
	summary->event_ps = summary->measured_ps = event_ps(summary->defs);
	summary->strand_ps =
		at_most(2 * summary->event_ps, defs_meta_number(summary->defs, "strand_cost_ps"));
	summary->collector_cpu_ns = defs_meta_number(summary->defs, "collector_cpu_ns");
	summary->ring_waits_ns = defs_meta(summary->defs, "ring_waits_ns")
					 ? defs_meta_number(summary->defs, "ring_waits_ns")
					 : UINT64_MAX;
	analyse(summary, select, wanted);
	complete(summary, select);
}

void summary_build(struct summary *summary, const struct run *run, unsigned wanted)
{
	summary_build_beside(summary, run, wanted, NULL);
}

static void drawn_free(struct drawn *drawn)
{
	ready_path_free(&drawn->path);
	strand_path_free(&drawn->critical);
	strand_path_free(&drawn->binding);
	charge_bins_free(&drawn->bins);
}

void summary_free(struct summary *summary)
{
	if (summary->paths)
		path_rows_free(summary->paths);
	free(summary->paths);
	rows_free(&summary->rows);
	code_rows_free(&summary->code);
	sampled_close(&summary->sampled);
	crowded_free(&summary->crowded);
	rows_free(&summary->by_site.rows);
	free(summary->by_site.facts);
	free(summary->by_site.counts);
	breakdown_free(&summary->by_site.breakdown);
	free(summary->facts);
	free(summary->counts);
	distributions_free(&summary->distributions);
	findings_free(&summary->findings);
	pauses_free(&summary->pauses);
	locks_free(&summary->locks);
	wait_sites_free(&summary->waits);
	teams_free(&summary->teams);
	machine_rows_free(&summary->machine);
	breakdown_free(&summary->breakdown);
	drawn_free(&summary->drawn);
	*summary = (struct summary){ 0 };
}

int summed_open(struct summed *of, const char *path, const struct phases_wanted *part,
		unsigned wanted, struct err *err)
{
	int error = run_open(&of->run, path, part, err);

	if (!error)
		summary_build(&of->summary, &of->run, wanted);
	return error;
}

void summed_close(struct summed *of)
{
	summary_free(&of->summary);
	run_close(&of->run);
}

uint32_t summary_runtime_workers(const struct summary *summary, uint32_t runtime)
{
	const struct dag *dag = summary->dag;

	return runtime < dag->n_runtimes && dag->runtime[runtime].n_tasks
		       ? dag->runtime[runtime].n_workers
		       : summary->defs->runtime[runtime].n_workers;
}

#define DRAWN_BINS 4096u
#define DRAWN_BINS_MANY 32768u /* where a page leaves strands out, and so they do not take over */
#define DRAWN_STRANDS 200000u

uint32_t drawn_bins(const struct dag *dag)
{
	return dag->n_strands > DRAWN_STRANDS ? DRAWN_BINS_MANY : DRAWN_BINS;
}

void summary_bounds(struct bounds *bounds, const struct summary *summary, uint32_t workers)
{
	const struct bounds_wanted wanted = { .work_ns = summary->least.work_ns,
					      .serial_ns = summary->least.serial_ns,
					      .burden_ns = summary->burden_ns,
					      .workers = workers };

	bounds_find(bounds, summary->dag, run_selected(summary->run), &wanted);
}

/* SPDX-License-Identifier: MIT */
/* report_one.c - reads a trace, builds its summary, and prints what is asked for. */
#include "tools/cmd/report_one.h"

#include "tools/base/at_most.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/whatif/worker_list.h"
#include "tools/whatif/try_out.h"
#include "tools/cmd/warn.h"
#include "tools/report/bounds_facts.h"
#include "tools/report/compensated_facts.h"
#include "tools/report/distribution_table.h"
#include "tools/report/report_json.h"
#include "tools/summary/report_tables.h"
#include "tools/report/processes.h"
#include "tools/report/screen.h"
#include "tools/run/run.h"
#include "tools/base/base_name.h"

static void print_summary(const struct request *request, const struct summary *summary)
{
	const char *path = request->many ? summary->file->path : NULL;
	table_open *open = table_by_name(profile_by_name[request->by]);
	AT_END(profile_free) struct profile profile = { 0 };

	if (request->json) {
		json_report(stdout, summary);
		fputs(request->many ? "" : "\n", stdout);
		return;
	}
	if (request->folded < FOLDED_COUNT) {
		folded_print(stdout, summary, request->folded, path ? path_base(path) : NULL);
		return;
	}
	if (request->many && !request->csv && !request->each)
		return;
	profile_build(&profile, summary, request->by);
	if (!request->csv && profile_has_states(request->by, &request->look))
		profile_sort_by_states(&profile);
	if (request->csv && open)
		table_csv(stdout, summary, open, path);
	else if (request->csv)
		profile_csv(stdout, summary, &profile, path, true);
	else
		screen_report(stdout, summary, &profile, &request->look);
	if (request->distribution) {
		printf("\n");
		distribution_table(stdout, summary, &request->look);
	}
	if (request->bounds) {
		printf("\n");
		bounds_put(stdout, summary, &request->look);
	}
	if (request->compensate) {
		printf("\n");
		compensated_put(stdout, summary, &request->look);
	}
	if (request->many && !request->csv)
		printf("\n");
}

/* Whether more than sums over all traces is printed. */
static bool prints_each(const struct request *request)
{
	return request->json || !request->many || request->each;
}

/* Whether findings with what their advice gives are printed. */
static bool shows_findings(const struct request *request)
{
	return request->what_if && prints_each(request);
}

static bool shows_curves(const struct request *request)
{
	return request->bounds && speedups_are_wanted(&request->curves) && prints_each(request);
}

/* On the numbers of workers that were asked for, or twice as many: of the rank's time the rest is
 * what its calls took.  Nothing of a run that cannot be simulated. */
static void find_widths(struct process *process, const struct request *request,
			const struct run *run)
{
	uint64_t own_ns, in_calls_ns = rank_calls_on_path_ns(&process->rank.calls);
	uint32_t own = run->dag.n_workers, n, width[WIDTHS_MOST];
	FREED char *twice = xasprintf("%u", 2 * own);
	const char *asked = request->curves.simulate ?: twice;
	FREED char *workers = xasprintf("%u,%s", own, asked);
	AT_END(speedups_free) struct speedups curves = { 0 };
	struct speedup_curve *curve = &curves.of[SPEEDUPS_SIMULATED];
	const struct speedup_point *point;
	struct err err = { 0 };

	if (run->dag.n_strands > TRY_STRANDS / 20 ||
	    speedup_simulate(curve, run, workers, &err) < 0)
		return;
	own_ns = above(speedup_at(curve, own)->elapsed_ns, in_calls_ns);
	widths_read(asked, width, &n);
	process->width = xcalloc(n, sizeof(*process->width));
	for (uint32_t i = 0; i < n && own_ns; i++)
		if ((point = speedup_at(curve, width[i])))
			process->width[process->n_widths++] = (struct rank_width){
				width[i], ratio(above(point->elapsed_ns, in_calls_ns), own_ns)
			};
}

/* What is kept of it, where its processes are added up. */
static void hand_over(FILE *result, const struct request *request, const struct run *run,
		      const struct summary *summary)
{
	AT_END(processes_free) struct processes one = { 0 };

	if (!result)
		return;
	processes_one(&one, run->reader, summary);
	if (request->what_if && one.process->rank.calls.n_calls)
		find_widths(one.process, request, run);
	processes_pass(&one, &(struct bytes){ .out = result }, NULL);
}

/* What the output asks for: the rest of a large trace would take its time for nobody. */
static unsigned wanted_of(const struct request *request)
{
	unsigned wanted = request->calls ? SUMMARY_CALLS : 0;

	if (request->json)
		wanted |= SUMMARY_USUAL | SUMMARY_PATHS;
	if (request->by == BY_SITE)
		wanted |= SUMMARY_SITES;
	if (request->by == BY_WAIT || request->distribution)
		wanted |= SUMMARY_DETAILS;
	return wanted;
}

/* What else was asked for; borrowed by the summary. */
struct besides {
	struct tried tried;
	struct speedups curves;
};

static void free_besides(struct besides *besides)
{
	speedups_free(&besides->curves);
	try_out_free(&besides->tried);
}

static int find_besides(struct besides *besides, const struct request *request,
			struct summed *of, struct err *err)
{
	const struct try_wanted wanted = { .experiments = request->experiments,
					   .strands_most = TRY_STRANDS };
	int error = 0;

	if (shows_findings(request)) {
		of->summary.tried = &besides->tried;
		error = try_out(&besides->tried, &of->summary, &wanted, err);
	}
	if (!error && shows_curves(request)) {
		of->summary.curves = &besides->curves;
		error = speedups_make(&besides->curves, &of->run, &request->curves, err);
	}
	return error;
}

int report_one(const struct request *request, const char *path, FILE *result)
{
	AT_END(summed_close) struct summed baseline = { 0 }, of = { 0 };
	AT_END(free_besides) struct besides besides = { 0 };
	struct summary *summary = &of.summary;
	struct err err = { 0 };
	int error = run_open(&of.run, path, &request->wanted, &err);

	if (!error && request->baseline)
		error = summed_open(&baseline, request->baseline, NULL, 0, &err);
	if (error)
		return say_fail(&err);
	dag_drop_ids(&of.run.dag);
	summary_build_beside(summary, &of.run, wanted_of(request),
			     request->baseline ? &baseline.summary : NULL);
	if (request->calls && !of.run.dag.n_paths) {
		err_set(&err, ENODATA,
			"%s: has no call paths; record it with `tptrace record --callpaths`", path);
		return say_fail(&err);
	}
	summary->burden_ns = request->burden_ns;
	summary->bounds = request->bounds;
	summary->compensate = request->compensate;
	summary->grains = request->by == BY_GRAIN;
	if (find_besides(&besides, request, &of, &err) < 0)
		return say_fail(&err);
	print_summary(request, summary);
	hand_over(result, request, &of.run, summary);
	if (warn_of(&of.run))
		return 1;
	return request->strict && losses_any(&summary->losses) ? 3 : 0;
}

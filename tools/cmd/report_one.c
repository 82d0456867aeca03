/* SPDX-License-Identifier: MIT */
/* report_one.c - reads a trace, builds its summary, and prints what is asked for. */
#include "tools/cmd/report_one.h"

#include <errno.h>

#include "tools/base/say.h"
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
	struct profile profile;

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
	profile_free(&profile);
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
	return speedups_are_wanted(&request->curves) && prints_each(request);
}

/* What is kept of it, where its processes are added up. */
static void hand_over(FILE *result, const struct run *run, const struct summary *summary)
{
	struct processes one = { 0 };
	if (result)
		processes_one(&one, run->reader, summary);

	if (result)
		processes_pass(&one, &(struct bytes){ .out = result }, NULL);
	processes_free(&one);
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

/* A run with one worker. */
struct beside_run {
	struct run run;
	struct summary summary;
};

static int open_baseline(struct beside_run *beside, const char *path, struct err *err)
{
	int error = run_open(&beside->run, path, NULL, err);

	if (!error)
		summary_build(&beside->summary, &beside->run, 0);
	return error;
}

int report_one(const struct request *request, const char *path, FILE *result)
{
	struct summary summary = { 0 };
	struct run run = { 0 };
	struct beside_run beside = { 0 };
	struct tried tried = { 0 };
	struct speedups curves = { 0 };
	struct err err = { 0 };
	int status = 0;
	int error = run_open(&run, path, &request->wanted, &err);

	if (!error && request->baseline)
		error = open_baseline(&beside, request->baseline, &err);
	if (error)
		goto out;
	dag_drop_ids(&run.dag);
	summary_build_beside(&summary, &run, wanted_of(request),
			     request->baseline ? &beside.summary : NULL);
	if (request->calls && !run.dag.n_paths) {
		error = err_set(&err, ENODATA,
				"%s: has no call paths; record it with `tptrace record "
				"--callpaths`",
				path);
		goto out;
	}
	summary.burden_ns = request->burden_ns;
	summary.bounds = request->bounds;
	summary.compensate = request->compensate;
	summary.grains = request->by == BY_GRAIN;
	if (shows_findings(request)) {
		summary.tried = &tried;
		error = try_out(&tried, &summary,
				&(struct try_wanted){ .experiments = request->experiments,
						      .strands_most = TRY_STRANDS },
				&err);
	}
	if (!error && shows_curves(request)) {
		summary.curves = &curves;
		error = speedups_make(&curves, &run, &request->curves, &err);
	}
	if (error)
		goto out;
	print_summary(request, &summary);
	hand_over(result, &run, &summary);
	if (warn_of(&run))
		status = 1;
	else if (request->strict && losses_any(&summary.losses))
		status = 3;
out:
	if (error)
		status = say_fail(&err);
	speedups_free(&curves);
	try_out_free(&tried);
	summary_free(&summary);
	run_close(&run);
	summary_free(&beside.summary);
	run_close(&beside.run);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* cmd_report.c - tptrace report: where the time went. */
#include <stdbool.h>
#include <stdio.h>

#include "tools/analysis/bounds.h"
#include "tools/analysis/findings/findings.h"
#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/team/newest.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/team/inputs.h"
#include "tools/cmd/report_many.h"
#include "tools/base/values.h"
#include "tools/table/fit.h"

#define LINE 78 /* longer ones are tiring to read */
#define INDENT 10

/* A paragraph behind its label, in lines of words. */
static void put_paragraph(FILE *out, const char *label, const char *text, int width)
{
	fprintf(out, "%-*s", INDENT, label);
	fit_words(out, text, INDENT, INDENT, width);
}

/* Prints it, in lines no longer than the screen; false if there is no finding of that id. */
static bool explain_put(FILE *out, const char *id, int width)
{
	const struct explanation *about = findings_explain(id);

	if (!about)
		return false;
	width = width < LINE ? width : LINE;
	fit_words(out, about->title, fprintf(out, "%s: ", about->id), INDENT, width);
	fputc('\n', out);
	put_paragraph(out, "meaning", about->meaning, width);
	put_paragraph(out, "evidence", about->evidence, width);
	put_paragraph(out, "try", about->remedy, width);
	return true;
}

#define BURDEN_MOST_NS UINT64_C(1000000000)

static bool value_is_burden(const char *text)
{
	uint64_t ns;

	return value_time(text, &ns) && ns <= BURDEN_MOST_NS;
}

static void take_against(void *request, const char *value)
{
	struct request *of = request;

	if (of->n_against < EXPERIMENTS_MOST)
		of->against[of->n_against] = value;
	of->n_against++;
}

static const struct command_option options[] = {
	{ "by",
	  "kind|site|path|worker|edge|phase|state|lock|wait|grain|code|stretch|operation|data|rank|"
	  "host",
	  INTO(WORD, by),
	  .help = "how to group the profile (kind); rank and host: of several traces" },
	{ "callpaths", INTO(FLAG, calls),
	  .help = "in creation paths (--by path, --folded, --json), distinguish the call stacks "
		  "that created tasks, if the trace has them" },
	{ "distribution", INTO(FLAG, distribution),
	  .help = "also print the distribution of times: tasks, steals, waits" },
	{ "bounds", INTO(FLAG, bounds),
	  .help = "also print bounds of the speed-up on other numbers of workers" },
	{ "burden", "TIME", .is = value_is_burden, .takes = "at most 1s, like 500ns or 2us",
	  INTO(TIME, burden_ns),
	  .help = "with --bounds or --json, the cost of a migration (as measured)" },
	OPTIONS_SPEEDUPS("with --bounds, add ", curves),
	{ "compensate", INTO(FLAG, compensate),
	  .help = "also print the run without the cost of recording it" },
	{ "what-if", INTO(FLAG, what_if),
	  .help = "also simulate the advice of each finding: how long the run would take" },
	{ "against", "FILE,..", .take = take_against,
	  .help = "with --what-if, withdraw advice that these runs of `tptrace record --slow` "
		  "contradict: traces, or a directory of them; FILE are plain runs" },
	{ "verbose", INTO(FLAG, look.verbose),
	  .help = "print all findings, and the four components by name" },
	OPTION_NUMBER("top", ROWS, look.n_most, "print N rows of the profile (10; 0 for all)"),
	OPTION_JSON(json),
	{ "csv", INTO(FLAG, csv), .help = "print the profile as CSV" },
	{ "folded", "work|delay|blocked|no-work|all|code", INTO(WORD, folded),
	  .help = "print creation paths as folded stacks of ns, for flame graphs; code: stack "
		  "samples below the kinds of tasks" },
	{ "each", INTO(FLAG, each), .help = "for several files, also print a full report of each" },
	{ "together", INTO(FLAG, together),
	  .help = "add up all files, even if they are not of one job" },
	OPTION_JOBS(n_at_once),
	OPTIONS_PART("report", wanted),
	OPTIONS_TIMES("report only the run", wanted),
	OPTION_TO(wanted),
	{ "baseline", "FILE", INTO(TEXT, baseline),
	  .help = "a trace of the same program with one worker, which tells how much workers "
		  "slow each other; in a directory of record --baseline it is found" },
	{ "explain", "ID", .words = CAUSE_WORDS, INTO(TEXT, explain),
	  .help = "explain a finding: what it means, its evidence, what to try" },
	{ "strict", INTO(FLAG, strict), .help = "exit with status 3 if events are missing" },
	OPTION_COLOR(look.bold),
	VARIABLE_RANKS,
	VARIABLE_DEBUG_PATH,
	VARIABLE_PAGER,
	{ 0 },
};

static int report_first(void *request, char **path, int n)
{
	struct request *of = request;
	int status = report_one(of, path[0], NULL);

	(void)n;
	if (of->newest)
		newest_say_left();
	return status;
}

/* Of the plain run that took the median elapsed time. */
static int report_against(struct request *request, char **plain, int n_plain)
{
	AT_END(experiments_free) struct experiments experiments = { 0 };
	struct err err = { 0 };
	int status = 1;
	int error = experiments_open(&experiments, plain, n_plain, request->against,
				     request->n_against, &err);

	if (error && err.text[0])
		say_fail(&err);
	request->experiments = &experiments;
	if (!error)
		status =
			report_one(request, experiments.plain.path[experiments.plain.middle], NULL);
	return status;
}

/* Likewise, of curves. */
static const char *wrong_with_curves(const struct request *request)
{
	if (!speedups_are_wanted(&request->curves))
		return NULL;
	if (!request->bounds && (!request->what_if || request->curves.predict_from))
		return "--simulate and --predict-from stand beside the bounds: add --bounds";
	if (selection_is_part(&request->wanted))
		return "--simulate and --predict-from are of whole runs: leave out --phase, "
		       "--region, --from and --to";
	return NULL;
}

/* Likewise, of the form that the answer takes. */
static const char *wrong_with_format(const struct request *request)
{
	bool folded = request->folded < FOLDED_COUNT;

	if (request->json + request->csv + folded > 1)
		return "--json, --csv and --folded exclude each other";
	if (!request->csv && !folded)
		return NULL;
	if (request->bounds || request->compensate || request->distribution || request->what_if)
		return "--bounds, --compensate, --distribution and --what-if are of reports as "
		       "text or JSON: leave out --csv and --folded";
	return NULL;
}

/* What is wrong with the options together; NULL. */
static const char *wrong_with(const struct request *request, int n_files)
{
	const char *wrong;

	if (request->wanted.from_ns >= request->wanted.to_ns)
		return "--from must be before --to";
	if (request->what_if && selection_is_part(&request->wanted))
		return "--what-if simulates whole runs: leave out --phase, --region, --from and "
		       "--to";
	if (request->baseline && (selection_is_part(&request->wanted) || request->n_against))
		return "--baseline compares whole runs: leave out --phase, --region, --from, "
		       "--to and --against";
	if (request->n_against && !request->what_if)
		return "--against judges what is simulated: add --what-if";
	if (request->n_against > EXPERIMENTS_MOST)
		return "--against takes at most 8 experiments";
	if (request->n_against && !n_files)
		return "--against compares with plain runs: name their traces, or a directory of "
		       "them";
	if (request->n_against &&
	    (request->each || request->together || request->csv || request->folded < FOLDED_COUNT))
		return "--against is of one report, as text or JSON: leave out --each, --together, "
		       "--csv and --folded";
	wrong = wrong_with_curves(request);
	return wrong ? wrong : wrong_with_format(request);
}

/* A run and its baseline are one. */
static int report_pair(struct request *request, struct team *team, struct inputs *pair)
{
	struct err err = { 0 };
	int status = team_close(team, &err) < 0 ? say_fail(&err) : 0;

	if (!request->baseline && !selection_is_part(&request->wanted))
		request->baseline = pair->baseline;
	if (!status)
		status = report_one(request, pair->at[0].path, NULL);
	inputs_free(pair);
	return status;
}

static int report(struct request *request, const struct call *call)
{
	struct inputs pair;
	struct team team;
	struct err err = { 0 };
	int status;

	if (!team_open(&team, call->argv, call->n > 0, request->n_at_once,
		       (struct team_work){ report_piece, request }, &status))
		return status;
	if (!request->n_against && call->n && !inputs_single(call->argument, call->n)) {
		if (!by_process(request) && inputs_pair(call->argument, call->n, &pair))
			return report_pair(request, &team, &pair);
		request->many = true;
		return report_many(request, &team, call->argument, call->n);
	}
	if (team_close(&team, &err) < 0)
		return say_fail(&err);
	if (by_process(request))
		return say_usage("report", "--by rank and --by host are of several traces: name "
					   "all traces of a job, or a directory of them");
	if (request->curves.simulate && !request->bounds)
		return say_usage("report", "--simulate with --what-if is of several ranks");
	if (request->n_against)
		return report_against(request, call->argument, call->n);
	request->newest = !call->n;
	return call_traces(call, report_first, request);
}

static int run(int argc, char **argv)
{
	struct request request = {
		.by = BY_KIND,
		.folded = FOLDED_COUNT,
		.burden_ns = BOUNDS_MEASURE,
		.look = { .width = value_width(LOOK_NARROWEST, LOOK_WIDEST, LOOK_WIDTH),
			  .n_most = 10,
			  .bold = value_wants_bold("auto") },
		.wanted.to_ns = UINT64_MAX,
	};
	struct call call;
	const char *wrong;

	if (!call_open(&call, &cmd_report, argc, argv, &request))
		return call.status;
	if (request.explain)
		return say_finish(
			explain_put(stdout, request.explain, (int)request.look.width) ? 0 : 1);
	wrong = wrong_with(&request, call.n);
	if (wrong)
		return say_usage("report", "%s", wrong);
	return say_finish(report(&request, &call));
}

const struct command cmd_report = {
	.name = "report",
	.run = run,
	.line = "show where its time went, and what to try",
	.arguments = "[OPTIONS] [FILE...]",
	.about = "Splits elapsed time x workers of a recorded run into work, delay, no-work-sched "
		 "and\n"
		 "no-work-app, and charges each to code. FILE is a trace, a trace as text, or a\n"
		 "directory of traces; by default the newest *.tpt in the working directory. "
		 "Several\n"
		 "traces give one line per process, and a report of all together. `tptrace-report` "
		 "is\n"
		 "the same command.\n",
	.option = options,
	.paged = true,
	.ranks = RANKS_TOGETHER,
};

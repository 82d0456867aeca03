/* SPDX-License-Identifier: MIT */
/* cmd_report.c - tptrace report: where the time went. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/bounds.h"
#include "tools/analysis/findings/findings.h"
#include "tools/base/say.h"
#include "tools/team/newest.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/team/inputs.h"
#include "tools/cmd/report_many.h"
#include "tools/base/values.h"
#include "tools/report/explain.h"

enum {
	BY,
	CALLPATHS,
	DISTRIBUTION,
	BOUNDS,
	BURDEN,
	SIMULATE,
	PREDICT_FROM,
	COMPENSATE,
	WHAT_IF,
	AGAINST,
	VERBOSE,
	TOP,
	JSON,
	CSV,
	FOLDED,
	EACH,
	TOGETHER,
	AT_ONCE,
	PHASE,
	REGION,
	FROM,
	UNTIL,
	TO,
	EXPLAIN,
	STRICT,
	COLOR
};

static bool is_finding(const char *id)
{
	return findings_explain(id) != NULL;
}

#define BURDEN_MOST_NS UINT64_C(1000000000)

static bool value_is_burden(const char *text)
{
	uint64_t ns;

	return value_time(text, &ns) && ns <= BURDEN_MOST_NS;
}

static const struct command_option options[] = {
	[BY] = { .name = "by",
		 .value = "kind|site|path|worker|edge|phase|state|lock|wait|grain",
		 .help = "how to group the profile (kind)" },
	[DISTRIBUTION] = { .name = "distribution",
			   .help = "also print the distribution of times: tasks, steals, waits" },
	[BOUNDS] = { .name = "bounds",
		     .help = "also print bounds of the speed-up on other numbers of workers" },
	[BURDEN] = { .name = "burden",
		     .value = "TIME",
		     .is = value_is_burden,
		     .takes = "at most 1s, like 500ns or 2us",
		     .help = "with --bounds or --json, the cost of a migration (as measured)" },
	[SIMULATE] = SPEEDUP_SIMULATE("with --bounds, add "),
	[PREDICT_FROM] = SPEEDUP_PREDICT_FROM("with --bounds, add "),
	[COMPENSATE] = { .name = "compensate",
			 .help = "also print the run without the cost of recording it" },
	[WHAT_IF] = { .name = "what-if",
		      .help = "also simulate the advice of each finding: how long the run would "
			      "take" },
	[AGAINST] = { .name = "against",
		      .value = "FILE,..",
		      .help = "with --what-if, withdraw advice that these runs of `tptrace "
			      "record --slow` contradict: traces, or a directory of them; FILE "
			      "are plain runs" },
	[VERBOSE] = { .name = "verbose",
		      .help = "print all findings, and the four components by name" },
	[CALLPATHS] = { .name = "callpaths",
			.help = "in creation paths (--by path, --folded, --json), distinguish the "
				"call stacks that created tasks, if the trace has them" },
	[TOP] = OPTION_NUMBER("top", "print N rows of the profile (10; 0 for all)"),
	[JSON] = { .name = "json", .help = "print all figures as one line of JSON" },
	[CSV] = { .name = "csv", .help = "print the profile as CSV" },
	[FOLDED] = { .name = "folded",
		     .value = "work|delay|blocked|no-work|all",
		     .help = "print creation paths as folded stacks of ns, for flame graphs" },
	[EACH] = { .name = "each", .help = "for several files, also print a full report of each" },
	[TOGETHER] = { .name = "together",
		       .help = "add up all files, even if they are not of one job" },
	[AT_ONCE] = TEAM_OPTION,
	[PHASE] = OPTION_PHASE("report"),
	[REGION] = OPTION_REGION("report"),
	[FROM] = OPTION_TIME("from", "report only the run from that time on: 1.5s, 20ms, 300us"),
	[UNTIL] = OPTION_TIME("until", "report only the run up to that time"),
	[TO] = OPTION_TIME("to", "the same as --until"),
	[EXPLAIN] = { .name = "explain",
		      .value = "ID",
		      .is = is_finding,
		      .takes = "serial, tail, coarse, chain, cutoff, fine, producer, away, held, "
			       "unshared, yields, lock, word, blocked, locking, barred, buried, "
			       "wait, imbalance, barrier, stretch, oversubscribed, loaded, asleep "
			       "or tracer",
		      .help = "explain a finding: what it means, its evidence, what to try" },
	[STRICT] = { .name = "strict", .help = "exit with status 3 if events are missing" },
	[COLOR] = { .name = "color",
		    .value = "auto|always|never",
		    .help = "print bold text; auto: on a terminal, unless NO_COLOR is set" },
	TEAM_VARIABLE,
	{ .variable = "TPTRACE_DEBUG_PATH",
	  .value = "DIRECTORY:..",
	  .help = "look for separate debug files there, and in /usr/lib/debug" },
	{ 0 },
};

static enum profile_by by_of(const char *word)
{
	int i = 0;

	while (i + 1 < BY_COUNT && strcmp(word, profile_by_name[i]) != 0)
		i++;
	return (enum profile_by)i;
}

static void take_part(struct phases_wanted *wanted, int option, const char *value)
{
	switch (option) {
	case PHASE:
		wanted->phase = value;
		break;
	case REGION:
		wanted->region = value;
		break;
	case FROM:
		value_time(value, &wanted->from_ns);
		break;
	case UNTIL:
	case TO:
		value_time(value, &wanted->to_ns);
		break;
	}
}

static void take(struct report_request *request, int option, const char *value)
{
	switch (option) {
	case BY:
		request->by = by_of(value);
		break;
	case DISTRIBUTION:
		request->distribution = true;
		break;
	case BOUNDS:
		request->bounds = true;
		break;
	case BURDEN:
		value_time(value, &request->burden_ns);
		break;
	case SIMULATE:
		request->curves.simulate = value;
		break;
	case PREDICT_FROM:
		request->curves.predict_from = value;
		break;
	case COMPENSATE:
		request->compensate = true;
		break;
	case WHAT_IF:
		request->what_if = true;
		break;
	case AGAINST:
		if (request->n_against < EXPERIMENTS_MOST)
			request->against[request->n_against] = value;
		request->n_against++;
		break;
	case VERBOSE:
		request->look.verbose = true;
		break;
	case CALLPATHS:
		request->calls = true;
		break;
	case TOP:
		request->look.n_most = value_number(value);
		break;
	case JSON:
		request->json = true;
		break;
	case CSV:
		request->csv = true;
		break;
	case FOLDED:
		request->folded = folded_of(value);
		break;
	case EACH:
		request->each = true;
		break;
	case TOGETHER:
		request->together = true;
		break;
	case AT_ONCE:
		request->n_at_once = value_number(value);
		break;
	case EXPLAIN:
		request->explain = value;
		break;
	case STRICT:
		request->strict = true;
		break;
	case COLOR:
		request->look.bold = value_wants_bold(value);
		break;
	default:
		take_part(&request->wanted, option, value);
	}
}

static bool is_part(const struct phases_wanted *wanted)
{
	return wanted->phase || wanted->region || wanted->from_ns || wanted->to_ns < UINT64_MAX;
}

static int report_newest(struct report_request *request)
{
	struct err err = { 0 };
	char *newest = newest_trace(&err);
	int status = newest ? report_one(request, newest, NULL) : say_fail(&err);

	if (newest)
		newest_say_left();
	free(newest);
	return status;
}

/* Of the plain run that took the median elapsed time. */
static int report_against(struct report_request *request, char **plain, int n_plain)
{
	struct experiments experiments = { 0 };
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
	experiments_free(&experiments);
	return status;
}

/* Likewise, of curves. */
static const char *wrong_with_curves(const struct report_request *request)
{
	if (!speedups_are_wanted(&request->curves))
		return NULL;
	if (!request->bounds)
		return "--simulate and --predict-from stand beside the bounds: add --bounds";
	if (is_part(&request->wanted))
		return "--simulate and --predict-from are of whole runs: leave out --phase, "
		       "--region, --from and --to";
	return NULL;
}

/* Likewise, of the form that the answer takes. */
static const char *wrong_with_format(const struct report_request *request)
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
static const char *wrong_with(const struct report_request *request, int n_files)
{
	const char *wrong;

	if (request->wanted.from_ns >= request->wanted.to_ns)
		return "--from must be before --to";
	if (request->what_if && is_part(&request->wanted))
		return "--what-if simulates whole runs: leave out --phase, --region, --from and "
		       "--to";
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

static int report(struct report_request *request, int argc, char **argv)
{
	struct team team;
	struct err err = { 0 };
	int status;

	if (!team_open(&team, argv, optind, request->n_at_once,
		       (struct team_work){ report_piece, request }, &status))
		return status;
	if (!request->n_against && optind < argc && !inputs_single(argv + optind, argc - optind)) {
		request->many = true;
		return report_many(request, &team, argv + optind, argc - optind);
	}
	if (team_close(&team, &err) < 0)
		return say_fail(&err);
	if (request->n_against)
		return report_against(request, argv + optind, argc - optind);
	return optind < argc ? report_one(request, argv[optind], NULL) : report_newest(request);
}

static int run(int argc, char **argv)
{
	struct report_request request = {
		.by = BY_KIND,
		.folded = FOLDED_COUNT,
		.burden_ns = BOUNDS_MEASURE,
		.look = { .width = value_width(LOOK_NARROWEST, LOOK_WIDEST, LOOK_WIDTH),
			  .n_most = 10,
			  .bold = value_wants_bold("auto") },
		.wanted.to_ns = UINT64_MAX,
	};
	struct call call = call_open(&cmd_report, argc, argv);
	const char *wrong;
	int option;

	while ((option = call_next(&call)) >= 0)
		take(&request, option, call.value);
	if (option == CALL_OVER)
		return call.status;
	if (request.explain)
		return say_finish(
			explain_put(stdout, request.explain, (int)request.look.width) ? 0 : 1);
	wrong = wrong_with(&request, argc - optind);
	if (wrong)
		return say_usage("report", "%s", wrong);
	if (request.look.n_most == 0)
		request.look.n_most = UINT32_MAX;
	return say_finish(report(&request, argc, argv));
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
	.ranks = RANKS_TOGETHER,
};

/* SPDX-License-Identifier: MIT */
/* cmd_diff.c - tptrace diff: what one run has more or less of than another. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/cmd/sides.h"
#include "tools/team/team.h"
#include "tools/base/values.h"
#include "tools/diff/diff_screen.h"
#include "tools/table/look.h"

#define EXIT_WORSE 1
#define EXIT_TROUBLE 2

struct request {
	struct question question;
	double percent; /* its threshold */
	struct diff_shown shown;
	struct sides_wanted wanted;
	const char *baseline; /* a trace, or seconds; NULL */
	bool csv;
	uint32_t n_at_once; /* 0: as many as is usual */
};

static const struct command_option options[] = {
	OPTION_THRESHOLD(percent,
			 "how much slower the last may be (5); exit with status 1 if it is "
			 "slower than that"),
	{ "baseline", "FILE", INTO(TEXT, baseline),
	  .help = "compare work with that trace, of a run on one worker, or with the seconds of a "
		  "run without tasks, like 1.23s" },
	{ "kind", "NAME", INTO(TEXT, question.kind),
	  .help = "judge the core-seconds of the tasks of that name, not elapsed time" },
	{ "by", "kind|site|path", INTO(WORD, shown.by),
	  .help = "what the last table lists (kind)" },
	OPTION_NUMBER("top", ROWS, shown.n_most, "print N rows of it (10; 0 for all)"),
	OPTIONS_PART("compare", wanted.phases),
	OPTION_JOBS(n_at_once),
	OPTION_JSON(wanted.reports),
	{ "csv", INTO(FLAG, csv), .help = "print the last table as CSV, all rows" },
	OPTION_COLOR(shown.bold),
	VARIABLE_RANKS,
	VARIABLE_PAGER,
	{ 0 },
};

/* The trace to compare work with, or its seconds. */
static int open_baseline(struct request *request, struct sides *baseline, struct team *team,
			 struct err *err)
{
	uint64_t ns;
	char *path = (char *)request->baseline;

	if (!path)
		return 0;
	if (access(path, F_OK) < 0 && value_time(path, &ns) && ns > 0) {
		request->question.baseline_ns = ns;
		return 0;
	}
	return sides_open(baseline, &path, 1, &request->wanted, team, err);
}

static int print(const struct request *request, const struct comparison *comparison,
		 const struct sides *sides, const struct sides *baseline)
{
	if (request->wanted.reports)
		diff_json(stdout, comparison);
	else if (request->csv)
		diff_csv(stdout, comparison, request->shown.by);
	else
		diff_screen(stdout, comparison, &request->shown);
	if (!sides_finish(sides, baseline))
		return EXIT_TROUBLE;
	return comparison->verdict == VERDICT_WORSE ? EXIT_WORSE : 0;
}

/* Reads all with the team, which then ends. */
static int open_all(struct request *request, struct sides *sides, struct sides *baseline,
		    struct team *team, char **argument, int n, struct err *err)
{
	int error = sides_open(sides, argument, n, &request->wanted, team, err);

	if (!error && sides->n >= 2)
		error = open_baseline(request, baseline, team, err);
	return team_end(team, error, err);
}

static int diff(void *context, char **argument, int n, struct team *team)
{
	struct request *request = context;
	AT_END(sides_free) struct sides sides = { 0 }, baseline = { 0 };
	AT_END(comparison_free) struct comparison comparison = { 0 };
	struct err err = { 0 };
	int error = open_all(request, &sides, &baseline, team, argument, n, &err);

	if (!error && sides.n < 2)
		return say_usage("diff", "%s is one run; name another one", sides.side[0].label);
	if (!error)
		error = comparison_build(&comparison, sides.side, sides.n, baseline.side,
					 &request->question, &err);
	if (!error)
		return print(request, &comparison, &sides, &baseline);
	if (err.text[0])
		say_fail(&err);
	return EXIT_TROUBLE;
}

/* `--` would end the options: here it stands between sides. */
static void keep_betweens(int argc, char **argv)
{
	static char between[] = SIDES_BETWEEN;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			argv[i] = between;
}

static int run(int argc, char **argv)
{
	struct request request = { .percent = 100 * THRESHOLD_SHARE,
				   .shown = sides_shown(),
				   .wanted.phases.to_ns = UINT64_MAX };
	struct call call;

	keep_betweens(argc, argv);
	if (!call_open(&call, &cmd_diff, argc, argv, &request))
		return call.status;
	request.question.threshold = request.percent / 100;
	request.wanted.lineage = !request.wanted.phases.phase && !request.wanted.phases.region;
	return sides_share(&call, &request.wanted, request.n_at_once,
			   request.wanted.reports && request.csv, diff, &request);
}

const struct command cmd_diff = {
	.name = "diff",
	.run = run,
	.line = "compare two runs: what changed, and where",
	.arguments = "[OPTIONS] FILE-A FILE-B [FILE-C...]",
	.without = "name two runs",
	.about =
		"Says which of two runs is slower, and why: what each component, kind, place and\n"
		"finding gained or lost. A FILE is a trace, a directory of traces, or several "
		"with\n"
		"commas between (a1.tpt,a2.tpt); or put `--` between the traces of A and those of\n"
		"B. Several runs per side show what is noise. With more than two sides, or one\n"
		"directory of runs on several numbers of workers, it prints a table of "
		"speed-ups.\n",
	.option = options,
	.paged = true,
	.more = "Exit status: 0 the last side is as fast as the first, or faster; 1 it is slower "
		"by\n"
		"more than the threshold and the noise; 2 trouble.\n",
	.ranks = RANKS_TOGETHER,
};

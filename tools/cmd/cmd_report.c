/* SPDX-License-Identifier: MIT */
/* cmd_report.c - tptrace report: where the time went. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/trace/reader.h"
#include "tools/analysis/bounds.h"
#include "tools/analysis/findings/findings.h"
#include "tools/cmd/cmd.h"
#include "tools/cmd/command.h"
#include "tools/cmd/crew.h"
#include "tools/cmd/inputs.h"
#include "tools/cmd/jobs.h"
#include "tools/cmd/try_out.h"
#include "tools/cmd/values.h"
#include "tools/cmd/warn.h"
#include "tools/report/bounds_facts.h"
#include "tools/report/compensated_facts.h"
#include "tools/report/csv.h"
#include "tools/report/distribution_table.h"
#include "tools/report/explain.h"
#include "tools/report/folded.h"
#include "tools/report/grain_table.h"
#include "tools/report/json.h"
#include "tools/report/lock_table.h"
#include "tools/report/screen.h"
#include "tools/report/wait_table.h"
#include "tools/run/run.h"

struct request {
	enum profile_by by;
	struct phases_wanted wanted;
	struct look look;
	uint64_t burden_ns; /* bounds.h */
	bool json, csv, calls, each, together, strict, distribution, bounds, compensate, what_if;
	enum folded folded;    /* FOLDED_COUNT: not asked for */
	const char *explain;   /* a finding; NULL */
	bool many;	       /* one of several, whose processes are added up */
	uint32_t n_at_once;
};

static int print_summary(const struct request *request, const struct summary *summary)
{
	const char *path = request->many ? summary->file->path : NULL;
	struct profile profile;
	int error = 0;

	if (request->json) {
		if (json_report(stdout, summary) < 0)
			return -ENOMEM;
		fputs(request->many ? "" : "\n", stdout);
		return 0;
	}
	if (request->folded < FOLDED_COUNT)
		return folded_print(stdout, summary, request->folded,
				    path ? place_base(path) : NULL);
	if (request->many && !request->csv && !request->each)
		return 0;
	if (profile_build(&profile, summary, request->by) < 0)
		return -ENOMEM;
	if (request->csv && request->by == BY_LOCK)
		lock_csv(stdout, summary, path, true);
	else if (request->csv && request->by == BY_WAIT)
		wait_csv(stdout, summary, path, true);
	else if (request->csv && request->by == BY_GRAIN)
		error = grain_csv(stdout, summary, path, true);
	else if (request->csv)
		csv_profile(stdout, summary, &profile, path, true);
	else
		error = screen_report(stdout, summary, &profile, &request->look);
	if (request->distribution && !request->csv) {
		printf("\n");
		distribution_table(stdout, summary, &request->look);
	}
	if (request->bounds && !request->csv && !error) {
		printf("\n");
		error = bounds_put(stdout, summary, &request->look);
	}
	if (request->compensate && !request->csv && !error) {
		printf("\n");
		error = compensated_put(stdout, summary, &request->look);
	}
	if (request->many && !request->csv)
		printf("\n");
	profile_free(&profile);
	return error;
}

/* Whether findings with what their advice gives are printed. */
static bool shows_findings(const struct request *request)
{
	return request->what_if && !request->csv && request->folded == FOLDED_COUNT &&
	       (request->json || !request->many || request->each);
}

/* What is kept of it, where its processes are added up. */
static int hand_over(FILE *result, const struct run *run, const struct summary *summary)
{
	struct processes one = { 0 };
	int error = result ? processes_one(&one, run->reader, summary) : 0;

	if (result && !error)
		processes_write(result, &one);
	processes_free(&one);
	return error;
}

/* The exit status for one file; what is to be kept of it goes to `result`, if that is not NULL. */
static int report(const struct request *request, const char *path, FILE *result)
{
	struct summary summary = { 0 };
	struct run run = { 0 };
	struct tried tried = { 0 };
	struct err err = { 0 };
	int status = 0;
	int error = run_open(&run, path, &request->wanted, &err);

	if (error)
		goto out;
	error = summary_build(&summary, &run, &err);
	if (error)
		goto out;
	summary.calls = request->calls;
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
		error = try_out(&tried, &summary, &err);
	}
	if (error)
		goto out;
	if (print_summary(request, &summary) < 0 || hand_over(result, &run, &summary) < 0) {
		error = err_set(&err, ENOMEM, "out of memory");
		goto out;
	}
	if (warn_of(&run))
		status = 1;
	else if (request->strict && (run.dag.n_lost || losses_any(&summary.losses) ||
				     !reader_facts(run.reader)->ended))
		status = 3;
out:
	if (error)
		status = cmd_fail(&err);
	try_out_free(&tried);
	summary_free(&summary);
	run_close(&run);
	return status;
}

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	return a == 0 || b == 1 ? b : a;
}

/* ---- several ---- */

struct many {
	const struct request *request;
	struct inputs inputs;
	struct processes all;
	int status;
};

static int report_input(void *context, uint32_t i, FILE *result)
{
	struct many *many = context;

	return report(many->request, many->inputs.at[i].path, result);
}

/* What the report of one printed, as a part of what is printed of all. */
static void print_part(const struct many *many, const struct crew_bytes *out)
{
	bool first = many->all.n == 0;
	const char *from = out->at;

	if (many->request->json && !first)
		fputc(',', stdout);
	else if (many->request->csv && !first) /* the header is there */
		from = strchr(from, '\n') ? strchr(from, '\n') + 1 : from;
	fwrite(from, 1, out->n - (size_t)(from - out->at), stdout);
	fflush(stdout);
}

static int add_part(struct many *many, const struct crew_bytes *result)
{
	struct processes one = { 0 };
	int error = processes_read(&one, result->at, result->n);

	if (!error)
		error = processes_add(&many->all, &one);
	processes_free(&one);
	return error;
}

static void take_report(void *context, uint32_t i, struct crew_done *done)
{
	struct many *many = context;
	const char *path = many->inputs.at[i].path;
	struct err err = { 0 };
	int status = done->status;

	if (done->error)
		err_set(&err, -done->error, "%s: %s", path, strerror(-done->error));
	else if (done->status < 0)
		err_set(&err, EINTR, "%s: signal %d ended its report", path, -done->status);
	if (err.text[0]) {
		status = cmd_fail(&err);
	} else {
		if (done->result.n)
			print_part(many, &done->out);
		fwrite(done->err.at, 1, done->err.n, stderr);
		if (done->result.n && add_part(many, &done->result) < 0) {
			err_set(&err, ENOMEM, "out of memory");
			status = cmd_fail(&err);
		}
	}
	many->status = worse(many->status, status);
}

static void print_sums(const struct many *many)
{
	const struct request *request = many->request;

	if (request->json) {
		fputs("],\"total\":", stdout);
		if (many->all.n_jobs > 1)
			fputs("null", stdout);
		else
			json_total(stdout, &many->all,
				   many->inputs.n_bad + many->inputs.n - many->all.n);
		fputs("}\n", stdout);
	} else if (!request->csv && request->folded == FOLDED_COUNT && many->all.n) {
		screen_processes(stdout, &many->all, &request->look);
	}
}

/* Each of several traces, and then all of them. */
static int report_many(struct request *request, char **argument, int n)
{
	struct many many = { .request = request };
	const struct crew crew = { report_input, take_report, &many };
	struct err err = { 0 };
	uint32_t *order = NULL;
	int error = inputs_open(&many.inputs, argument, n);

	request->many = true;
	if (!error)
		order = inputs_largest_first(&many.inputs);
	if (error || !order)
		goto no_memory;
	many.all.n_jobs = request->together ? 1 : jobs_find(&many.inputs, JOBS_REST_TOGETHER);
	if (request->json)
		fputs("{\"version\":1,\"processes\":[", stdout);
	if (crew_run(&crew, order, many.inputs.n, request->n_at_once) < 0)
		goto no_memory;
	processes_sort(&many.all);
	print_sums(&many);
	if (many.inputs.n_bad)
		many.status = 1;
	goto out;
no_memory:
	err_set(&err, ENOMEM, "out of memory");
	many.status = cmd_fail(&err);
out:
	free(order);
	inputs_free(&many.inputs);
	processes_free(&many.all);
	return many.status;
}

enum {
	BY,
	CALLPATHS,
	DISTRIBUTION,
	BOUNDS,
	BURDEN,
	COMPENSATE,
	WHAT_IF,
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
	TO,
	EXPLAIN,
	STRICT,
	COLOR
};

static bool is_finding(const char *id)
{
	return findings_explain(id) != NULL;
}

#define JOBS_MOST 1024u

static bool value_is_jobs(const char *text)
{
	unsigned long n = value_is_number(text) ? strtoul(text, NULL, 10) : 0;

	return n >= 1 && n <= JOBS_MOST;
}

/* As many as there are CPUs. */
static uint32_t jobs_usual(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > JOBS_MOST ? JOBS_MOST : (uint32_t)n;
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
			   .help = "also print how times are spread: tasks, steals, waits" },
	[BOUNDS] = { .name = "bounds",
		     .help = "also print the speed-up that other numbers of workers allow" },
	[BURDEN] = { .name = "burden",
		     .value = "TIME",
		     .is = value_is_burden,
		     .takes = "at most 1s, like 500ns or 2us",
		     .help = "with --bounds or --json, what a migration costs (measured)" },
	[COMPENSATE] = { .name = "compensate",
			 .help = "also print the run without what recording it took" },
	[WHAT_IF] = { .name = "what-if",
		      .help = "also simulate what each finding advises: how long the run would "
			      "take" },
	[VERBOSE] = { .name = "verbose",
		      .help = "print all findings, and the four components by their names" },
	[CALLPATHS] = { .name = "callpaths",
			.help = "in paths (--by path, --folded, --json) also tell call stacks apart "
				"that created tasks, of a trace that has them" },
	[TOP] = { .name = "top",
		  .value = "N",
		  .is = value_is_number,
		  .takes = "a number",
		  .help = "print N rows of the profile (10; 0 for all)" },
	[JSON] = { .name = "json", .help = "print all figures as one line of JSON" },
	[CSV] = { .name = "csv", .help = "print the profile as CSV" },
	[FOLDED] = { .name = "folded",
		     .value = "work|delay|blocked|no-work|all",
		     .help = "print creation paths as folded stacks of ns, for flame graphs" },
	[EACH] = { .name = "each", .help = "for several files, also print a full report of each" },
	[TOGETHER] = { .name = "together",
		       .help = "add up all files, even if they are not of one job" },
	[AT_ONCE] = { .letter = 'j',
		      .name = "jobs",
		      .value = "N",
		      .is = value_is_jobs,
		      .takes = "a number from 1 to 1024",
		      .help = "read N traces at once (as many as there are CPUs)" },
	[PHASE] = { .name = "phase",
		    .value = "NAME",
		    .help = "report only the phase of that name" },
	[REGION] = { .name = "region",
		     .value = "NAME",
		     .help = "report only the time in which a region of that name is open" },
	[FROM] = { .name = "from",
		   .value = "TIME",
		   .is = value_is_time,
		   .takes = "a number and s, ms, us or ns, like 1.5s",
		   .help = "report only the run from that time on: 1.5s, 20ms, 300us" },
	[TO] = { .name = "to",
		 .value = "TIME",
		 .is = value_is_time,
		 .takes = "a number and s, ms, us or ns, like 1.5s",
		 .help = "report only the run up to that time" },
	[EXPLAIN] = { .name = "explain",
		      .value = "ID",
		      .is = is_finding,
		      .takes = "one of the findings of tptrace-findings(7), like tail",
		      .help = "say what that finding means, what shows it and what to try" },
	[STRICT] = { .name = "strict", .help = "exit with status 3 if events are missing" },
	[COLOR] = { .name = "color",
		    .value = "auto|always|never",
		    .help = "print bold text; auto: on a terminal, unless NO_COLOR is set" },
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

static void take(struct request *request, int option, const char *value)
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
	case COMPENSATE:
		request->compensate = true;
		break;
	case WHAT_IF:
		request->what_if = true;
		break;
	case VERBOSE:
		request->look.verbose = true;
		break;
	case CALLPATHS:
		request->calls = true;
		break;
	case TOP:
		request->look.n_most = (uint32_t)strtoul(value, NULL, 10);
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
		request->n_at_once = (uint32_t)strtoul(value, NULL, 10);
		break;
	case PHASE:
		request->wanted.phase = value;
		break;
	case REGION:
		request->wanted.region = value;
		break;
	case FROM:
		value_time(value, &request->wanted.from_ns);
		break;
	case TO:
		value_time(value, &request->wanted.to_ns);
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
	}
}

static bool is_part(const struct phases_wanted *wanted)
{
	return wanted->phase || wanted->region || wanted->from_ns || wanted->to_ns < UINT64_MAX;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.by = BY_KIND,
		.folded = FOLDED_COUNT,
		.burden_ns = BOUNDS_MEASURE,
		.n_at_once = jobs_usual(),
		.look = { .width = value_width(LOOK_NARROWEST, LOOK_WIDEST, LOOK_WIDTH),
			  .n_most = 10,
			  .bold = value_wants_bold("auto") },
		.wanted.to_ns = UINT64_MAX,
	};
	struct call call = call_open(&cmd_report, argc, argv);
	struct err err = { 0 };
	char *newest;
	int option, status;

	while ((option = call_next(&call)) >= 0)
		take(&request, option, call.value);
	if (option == CALL_OVER)
		return call.status;
	if (request.explain)
		return cmd_finish(explain_put(stdout, request.explain) ? 0 : 1);
	if (request.what_if && is_part(&request.wanted))
		return cmd_usage("report", "--what-if simulates whole runs: leave out --phase, "
					   "--region, --from and --to");
	if (request.look.n_most == 0)
		request.look.n_most = UINT32_MAX;
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = report(&request, newest, NULL);
		free(newest);
	} else if (inputs_single(argv + optind, argc - optind)) {
		status = report(&request, argv[optind], NULL);
	} else {
		status = report_many(&request, argv + optind, argc - optind);
	}
	return cmd_finish(status);
}

const struct command cmd_report = {
	.name = "report",
	.run = run,
	.line = "say where its time went",
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
};

/* SPDX-License-Identifier: MIT */
/* report.c - tptrace report: where the time went. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/reader.h"
#include "tools/cmd/cmd.h"
#include "tools/cmd/inputs.h"
#include "tools/export/json.h"
#include "tools/export/text.h"
#include "tools/names/names.h"

static const char usage[] =
	"usage: tptrace report [OPTIONS] [FILE...]\n"
	"       tptrace-report [OPTIONS] [FILE...]\n\n"
	"Splits elapsed x workers of a recorded run into work, delay, no-work-sched and\n"
	"no-work-app, and charges each to code. FILE is the newest *.tpt here by default;\n"
	"a trace as text will do as well. Of several files, or a folder, which stands for\n"
	"all traces in it, there is a line for each process and a report of all together.\n\n"
	"  --by kind|site|worker|edge|phase|state  how to group the profile (kind)\n"
	"  --top N                     this many rows of it (20; 0 for all)\n"
	"  --json                      all figures as a line of JSON\n"
	"  --csv                       the profile as CSV\n"
	"  --each                      of several files, a full report each, too\n"
	"  --phase NAME, --region NAME what the program calls so, alone\n"
	"  --from TIME, --to TIME      from and to that time of the run: 1.5s, 20ms, 300us\n"
	"  --strict                    exit 3 if events are missing\n"
	"  --color auto|always|never   bold text; auto: on a terminal, unless NO_COLOR is set\n\n"
	"Separate debug files are looked for in the folders of TPTRACE_DEBUG_PATH, separated by\n"
	"colons, and in /usr/lib/debug.\n";

struct request {
	enum profile_by by;
	struct phases_wanted wanted;
	uint32_t n_most;
	bool json, csv, each, strict, bold;
	struct processes *all; /* NULL: one file is reported by itself */
};

static int declare_modules(struct names *names, const struct defs *defs)
{
	int error = 0;

	for (uint32_t i = 0; i < defs->n_modules && error != -ENOMEM; i++) {
		const struct defs_module *module = &defs->module[i];

		/* without a path it has only its number */
		error = names_module(names, module->start, module->path ? module->end : 0,
				     module->bias, module->path ? module->path : "",
				     module->build_id ? module->build_id : "");
		if (error == -EINVAL) /* whatever was said of it: it is just not known */
			error = 0;
	}
	return error;
}

static void warn_stale(const struct names *names)
{
	const char *path;
	struct err err;

	for (uint32_t i = 0; (path = names_stale(names, i)); i++) {
		err_set(&err, ESTALE, "%s was changed since the recording: its names are not shown",
			path);
		cmd_fail(&err);
	}
}

static int print_summary(const struct request *request, const struct summary *summary)
{
	bool first = !request->all || request->all->n == 0;
	struct profile profile;

	if (request->json) {
		fputs(first ? "" : ",", stdout);
		json_report(stdout, summary);
		fputs(request->all ? "" : "\n", stdout);
		return 0;
	}
	if (request->all && !request->csv && !request->each)
		return 0;
	if (profile_build(&profile, summary, request->by) < 0)
		return -ENOMEM;
	if (request->csv)
		profile_csv(stdout, &profile, request->all ? summary->file->path : NULL, first);
	else
		text_report(stdout, summary, &profile, request->n_most, request->bold);
	if (request->all && !request->csv)
		printf("\n");
	profile_free(&profile);
	return 0;
}

/* The exit status for one file. */
static int report(const struct request *request, const char *path)
{
	struct reader *reader = NULL;
	struct names *names = NULL;
	struct summary summary = { 0 };
	struct dag dag = { 0 };
	struct err err = { 0 };
	int status = 0;
	int error = reader_open(&reader, path, &err);

	if (!error)
		error = dag_build(&dag, reader, &err);
	if (!error && dag.n_strands == 0)
		error = err_set(&err, ENODATA, "%s: %s", path,
				reader_facts(reader)->missing[0] ? reader_facts(reader)->missing
								 : "no task was recorded in it");
	if (!error && (names_open(&names) < 0 || declare_modules(names, reader_defs(reader)) < 0))
		error = err_set(&err, ENOMEM, "out of memory");
	if (!error)
		error = summary_build(&summary, reader, &dag, names, &request->wanted, &err);
	if (!error && (print_summary(request, &summary) < 0 ||
		       (request->all && processes_add(request->all, reader, &summary) < 0)))
		error = err_set(&err, ENOMEM, "out of memory");
	if (error) {
		status = cmd_fail(&err);
		goto out;
	}
	warn_stale(names);
	if (reader_facts(reader)->missing[0])
		cmd_print(stderr, "tptrace: %s: %s\n", path, reader_facts(reader)->missing);
	if (reader_facts(reader)->torn)
		status = 1;
	else if (request->strict &&
		 (dag.n_lost || losses_any(&summary.losses) || !reader_facts(reader)->ended))
		status = 3;
out:
	summary_free(&summary);
	names_free(names);
	dag_free(&dag);
	reader_close(reader);
	return status;
}

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	return a == 0 || b == 1 ? b : a;
}

/* Each of several traces, and then all of them. */
static int report_many(struct request *request, char **argument, int n)
{
	struct processes all = { 0 };
	struct inputs inputs = { 0 };
	struct err err = { 0 };
	int status = 0;

	request->all = &all;
	if (inputs_open(&inputs, argument, n) < 0) {
		err_set(&err, ENOMEM, "out of memory");
		status = cmd_fail(&err);
		goto out;
	}
	if (request->json)
		fputs("{\"version\":1,\"processes\":[", stdout);
	for (uint32_t i = 0; i < inputs.n; i++) {
		status = worse(status, report(request, inputs.at[i].path));
		fflush(stdout);
	}
	processes_sort(&all);
	if (request->json) {
		fputs("],\"total\":", stdout);
		json_total(stdout, &all, inputs.n_bad + inputs.n - all.n);
		fputs("}\n", stdout);
	} else if (!request->csv && all.n) {
		text_processes(stdout, &all, request->n_most, request->bold);
	}
	if (inputs.n_bad)
		status = 1;
out:
	inputs_free(&inputs);
	processes_free(&all);
	return status;
}

static int parse_by(const char *word, enum profile_by *by)
{
	for (int i = 0; i < BY_COUNT; i++)
		if (strcmp(word, profile_by_name[i]) == 0) {
			*by = (enum profile_by)i;
			return 0;
		}
	return -EINVAL;
}

/* "1.5s", "20ms"; without a unit, s. */
static bool parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = { { "s", 1e9 }, { "", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0))
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strcmp(end, unit[i].name) == 0 && value * unit[i].ns < 1e18) {
			*ns = (uint64_t)(value * unit[i].ns + 0.5);
			return true;
		}
	return false;
}

static bool wants_bold(const char *when)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "by", required_argument, NULL, 'b' },
						 { "top", required_argument, NULL, 't' },
						 { "json", no_argument, NULL, 'j' },
						 { "csv", no_argument, NULL, 'c' },
						 { "strict", no_argument, NULL, 's' },
						 { "color", required_argument, NULL, 'C' },
						 { "each", no_argument, NULL, 'e' },
						 { "phase", required_argument, NULL, 'p' },
						 { "region", required_argument, NULL, 'r' },
						 { "from", required_argument, NULL, 'F' },
						 { "to", required_argument, NULL, 'T' },
						 { 0 } };
	struct request request = { .by = BY_KIND, .n_most = 20, .wanted.to_ns = UINT64_MAX };
	const char *color = "auto";
	struct err err = { 0 };
	char *newest, *end;
	int option, status;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return cmd_finish(0);
		case 'b':
			if (parse_by(optarg, &request.by) < 0)
				return cmd_usage("report",
						 "--by takes kind, site, worker, edge, "
						 "phase or state, not `%s`",
						 optarg);
			break;
		case 't':
			request.n_most = (uint32_t)strtoul(optarg, &end, 10);
			if (*end || !*optarg || *optarg == '-')
				return cmd_usage("report", "--top takes a number, not `%s`",
						 optarg);
			break;
		case 'p':
			request.wanted.phase = optarg;
			break;
		case 'r':
			request.wanted.region = optarg;
			break;
		case 'F':
		case 'T':
			if (!parse_time(optarg, option == 'F' ? &request.wanted.from_ns
							      : &request.wanted.to_ns))
				return cmd_usage("report",
						 "a time is a number and s, ms, us or ns, like "
						 "1.5s, not `%s`",
						 optarg);
			break;
		case 'j':
			request.json = true;
			break;
		case 'c':
			request.csv = true;
			break;
		case 's':
			request.strict = true;
			break;
		case 'e':
			request.each = true;
			break;
		case 'C':
			color = optarg;
			if (strcmp(color, "auto") && strcmp(color, "always") &&
			    strcmp(color, "never"))
				return cmd_usage("report", "--color takes auto, always or never");
			break;
		default:
			return cmd_usage("report", "there is no option `%s`, or it lacks its value",
					 argv[optind - 1]);
		}
	}
	request.bold = wants_bold(color);
	if (request.n_most == 0)
		request.n_most = UINT32_MAX;
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = report(&request, newest);
		free(newest);
	} else if (inputs_single(argv + optind, argc - optind)) {
		status = report(&request, argv[optind]);
	} else {
		status = report_many(&request, argv + optind, argc - optind);
	}
	return cmd_finish(status);
}

/* SPDX-License-Identifier: MIT */
/* report.c - tptrace report: where the time went. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/reader.h"
#include "tools/cmd/cmd.h"
#include "tools/export/json.h"
#include "tools/export/text.h"
#include "tools/names/names.h"

static const char usage[] =
	"usage: tptrace report [OPTIONS] [FILE...]\n"
	"       tptrace-report [OPTIONS] [FILE...]\n\n"
	"Splits elapsed x workers of a recorded run into work, delay, no-work-sched and\n"
	"no-work-app, and charges each to code. FILE is the newest *.tpt here by default;\n"
	"a trace as text will do as well.\n\n"
	"  --by kind|site|worker|edge|phase  how to group the profile (kind)\n"
	"  --top N                     this many rows of it (20; 0 for all)\n"
	"  --json                      all figures, one line of JSON a file\n"
	"  --csv                       the profile as CSV\n"
	"  --phase NAME, --region NAME what the program calls so, alone\n"
	"  --from TIME, --to TIME      from and to that time of the run: 1.5s, 20ms, 300us\n"
	"  --strict                    exit 3 if events are missing\n"
	"  --color auto|always|never\n";

struct request {
	enum profile_by by;
	struct phases_wanted wanted;
	uint32_t n_most;
	bool json, csv, strict, bold;
};

static int declare_modules(struct names *names, const struct defs *defs)
{
	int error = 0;

	for (uint32_t i = 0; i < defs->n_modules && error != -ENOMEM; i++) {
		const struct defs_module *module = &defs->module[i];

		if (!module->path)
			continue;
		error = names_module(names, module->start, module->end, module->bias, module->path,
				     module->build_id ? module->build_id : "");
		if (error == -EINVAL) /* whatever was said of it: it is just not known */
			error = 0;
	}
	return error;
}

static void warn_stale(const struct names *names)
{
	const char *path;

	for (uint32_t i = 0; (path = names_stale(names, i)); i++)
		fprintf(stderr,
			"tptrace: %s was changed since the recording: its names are not shown\n",
			path);
}

static int print_summary(const struct request *request, const struct summary *summary)
{
	struct profile profile;

	if (request->json) {
		json_report(stdout, summary);
		return 0;
	}
	if (profile_build(&profile, summary, request->by) < 0)
		return -ENOMEM;
	if (request->csv)
		profile_csv(stdout, &profile);
	else
		text_report(stdout, summary, &profile,
			    request->n_most ? request->n_most : UINT32_MAX, request->bold);
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
	if (!error && print_summary(request, &summary) < 0)
		error = err_set(&err, ENOMEM, "out of memory");
	if (error) {
		status = cmd_fail(&err);
		goto out;
	}
	warn_stale(names);
	if (reader_facts(reader)->missing[0])
		fprintf(stderr, "tptrace: %s: %s\n", path, reader_facts(reader)->missing);
	if (reader_facts(reader)->torn)
		status = 1;
	else if (request->strict && (dag.n_lost || !reader_facts(reader)->ended))
		status = 3;
out:
	summary_free(&summary);
	names_free(names);
	dag_free(&dag);
	reader_close(reader);
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
						 { "phase", required_argument, NULL, 'p' },
						 { "region", required_argument, NULL, 'r' },
						 { "from", required_argument, NULL, 'F' },
						 { "to", required_argument, NULL, 'T' },
						 { 0 } };
	struct request request = { .by = BY_KIND, .n_most = 20, .wanted.to_ns = UINT64_MAX };
	const char *color = "auto";
	struct err err = { 0 };
	char *newest, *end;
	int option, status = 0;

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
						 "--by takes kind, site, worker, edge or "
						 "phase, not `%s`",
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
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = report(&request, newest);
		free(newest);
	}
	for (int i = optind; i < argc; i++) {
		int one = report(&request, argv[i]);

		if (status == 0 || one == 1)
			status = one;
		if (i + 1 < argc && !request.json && !request.csv)
			printf("\n");
	}
	return cmd_finish(status);
}

/* SPDX-License-Identifier: MIT */
/* cmd_view.c - tptrace view: a run, or some side by side, as a page for a browser. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/base/output.h"
#include "tools/base/values.h"
#include "tools/view/view_server.h"
#include "tools/cmd/warn.h"
#include "tools/report/bounds_facts.h"
#include "tools/report/report_json.h"
#include "tools/report/screen.h"
#include "tools/table/put.h"
#include "tools/diff/diff_json.h"
#include "tools/whatif/speedup_curves.h"
#include "tools/whatif/try_out.h"
#include "tools/diff/side.h"
#include "tools/run/run.h"
#include "tools/view/view.h"

#define VIEWED_MOST 3 /* traces; more do not fit one below the other */

struct viewed {
	struct run run[VIEWED_MOST];
	struct summary summary[VIEWED_MOST];
	struct side side[VIEWED_MOST];
	struct speedups curves[VIEWED_MOST];
	struct tried tried;	 /* of the only one */
	char *diff[VIEWED_MOST]; /* of the first and this one, as JSON; NULL for the first */
	struct view_side shown[VIEWED_MOST];
	uint32_t n;
};

/*
 * The traces that `tptrace view` was given, with what `tptrace diff` says of them.
 *
 * Each is read once: its summary serves both the page and the comparison with the first.
 */

#define CURE_STRANDS UINT64_C(2000000) /* simulated in all: half a second of one core */

static int open_trace(struct viewed *viewed, const char *path, const struct speedups_wanted *curves,
		      struct err *err)
{
	uint32_t i = viewed->n++;
	int error = run_open(&viewed->run[i], path, NULL, err);

	if (!error)
		error = summary_build(&viewed->summary[i], &viewed->run[i],
				      SUMMARY_USUAL | SUMMARY_PATHS, err);
	if (!error && speedups_are_wanted(curves)) {
		error = speedups_make(&viewed->curves[i], &viewed->run[i], curves, err);
		viewed->summary[i].curves = &viewed->curves[i];
	}
	viewed->shown[i] = (struct view_side){ .label = path, .summary = &viewed->summary[i] };
	return error;
}

/* What a diff needs of a trace. */
static int open_side(struct viewed *viewed, uint32_t i, struct err *err)
{
	struct side *side = &viewed->side[i];
	struct outcome outcome = { 0 };
	int error = outcome_build(&outcome, &viewed->summary[i]);

	if (!error)
		error = lineage_build(&side->lineage, &viewed->run[i].dag);
	side->label = strdup(viewed->shown[i].label);
	if (error || !side->label) {
		outcome_free(&outcome);
		return err_no_memory(err);
	}
	if (side_add(side, &outcome, NULL) < 0)
		return err_no_memory(err);
	side_complete(side);
	return 0;
}

static int compare(struct viewed *viewed, uint32_t i, struct err *err)
{
	const struct question question = { .threshold = THRESHOLD_SHARE };
	struct side pair[] = { viewed->side[0], viewed->side[i] }; /* borrowed */
	struct comparison comparison = { 0 };
	size_t bytes;
	FILE *out = open_memstream(&viewed->diff[i], &bytes);
	int error = out ? comparison_build(&comparison, pair, 2, NULL, &question, err)
			: err_no_memory(err);

	if (!error)
		diff_json(out, &comparison);
	comparison_free(&comparison);
	if (out && fclose(out) != 0 && !error)
		error = err_no_memory(err);
	viewed->shown[i].diff = viewed->diff[i];
	return error;
}

/* What the cures of findings would bring, where that takes no time worth mentioning; a page without
 * them is whole. */
static void try_cures(struct viewed *viewed)
{
	const struct try_wanted wanted = { .strands_most = CURE_STRANDS, .schedules = true };
	struct err refused = { 0 };

	if (try_out(&viewed->tried, &viewed->summary[0], &wanted, &refused) < 0) {
		try_out_free(&viewed->tried);
		viewed->tried.why_not = viewed->tried.why = strdup(refused.text);
	}
	viewed->shown[0].tried = &viewed->tried;
}

/* Reads n traces into a zeroed one; of each the curves that are wanted.  0, or -errno and *err. */
static int viewed_open(struct viewed *viewed, char **path, uint32_t n,
		       const struct speedups_wanted *curves, struct err *err)
{
	int error = 0;

	for (uint32_t i = 0; i < n && !error; i++)
		error = open_trace(viewed, path[i], curves, err);
	for (uint32_t i = 0; i < n && n > 1 && !error; i++)
		error = open_side(viewed, i, err);
	for (uint32_t i = 1; i < n && !error; i++)
		error = compare(viewed, i, err);
	if (n == 1 && !error)
		try_cures(viewed);
	return error;
}

/* a zeroed one is fine */
static void viewed_free(struct viewed *viewed)
{
	try_out_free(&viewed->tried);
	for (uint32_t i = 0; i < viewed->n; i++) {
		free(viewed->diff[i]);
		side_free(&viewed->side[i]);
		speedups_free(&viewed->curves[i]);
		summary_free(&viewed->summary[i]);
		run_close(&viewed->run[i]);
	}
	*viewed = (struct viewed){ 0 };
}

struct request {
	const char *output; /* NULL: beside the trace */
	struct view_wanted wanted;
	struct speedups_wanted curves;
	uint32_t port;	 /* of --serve; 0: any */
	uint32_t idle_s; /* 0: for ever */
};

/* "x.tpt" as "x.html"; malloc'ed. */
static char *page_path(const char *trace)
{
	size_t n = strlen(trace);
	char *path = malloc(n + sizeof(".html"));

	if (!path)
		return NULL;
	if (n > 4 && strcmp(trace + n - 4, ".tpt") == 0)
		n -= 4;
	memcpy(path, trace, n);
	strcpy(path + n, ".html");
	return path;
}

/* Into a file of that name, which is whole or is not there. */
static int write_page(const char *path, const struct viewed *viewed,
		      const struct view_wanted *wanted, struct err *err)
{
	struct output output;
	struct view *view = NULL;
	int error = output_file(&output, path, err);

	if (!error)
		error = view_open(&view, viewed->shown, viewed->n, wanted, err);
	if (!error)
		error = view_put(output.file, view, err);
	if (!error)
		error = output_keep(&output, err);
	output_discard(&output);
	view_close(view);
	return error;
}

/* As a shell takes it. */
static void put_word(FILE *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	if (path[strspn(path, plain)] == 0) {
		fputs(path, out);
		return;
	}
	fputc('\'', out);
	for (size_t n; *path; path += n) {
		char part[PATH_MAX];

		n = *path == '\'' ? 1 : strcspn(path, "'");
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		put_text(out, *path == '\'' ? "'\\''" : part);
	}
	fputc('\'', out);
}

static void say_written(const char *path)
{
	put_text(stdout, path);
	fputs(": open it in a browser, like `xdg-open ", stdout);
	put_word(stdout, path);
	fputs("`\n", stdout);
}

/* Whether a trace is damaged; says so, and what else is to be known of them. */
static bool warn_of_all(const struct viewed *viewed)
{
	bool damaged = false;

	for (uint32_t i = 0; i < viewed->n; i++)
		damaged |= warn_of(&viewed->run[i]);
	return damaged;
}

/* The exit status for n traces whose page is asked for. */
static int serve(const struct request *request, char **trace, uint32_t n)
{
	struct viewed viewed = { 0 };
	struct view *view = NULL;
	struct err err = { 0 };
	struct view_server server = { 0 };
	int error = view_server_open(&server, (uint16_t)request->port, &err), status = 0;

	if (!error)
		error = viewed_open(&viewed, trace, n, &request->curves, &err);
	waiting_at(&server.waiting, WAITING_ARRANGE);
	if (!error)
		error = view_open(&view, viewed.shown, n, &request->wanted, &err);
	if (!error)
		status = warn_of_all(&viewed) ? 1 : 0;
	if (!error)
		error = view_serve(&server, view, request->idle_s, &err);
	view_server_close(&server);
	view_close(view);
	viewed_free(&viewed);
	return error ? say_fail(&err) : status;
}

/* The exit status for n traces. */
static int view(const struct request *request, char **trace, uint32_t n)
{
	char *path = request->output ? strdup(request->output) : page_path(trace[0]);
	bool to_stdout = path && strcmp(path, "-") == 0;
	struct viewed viewed = { 0 };
	struct err err = { 0 };
	int status = 0;
	int error =
		path ? viewed_open(&viewed, trace, n, &request->curves, &err) : err_no_memory(&err);

	if (!error)
		error = write_page(path, &viewed, &request->wanted, &err);
	if (error) {
		status = say_fail(&err);
		goto out;
	}
	status = warn_of_all(&viewed) ? 1 : 0;
	if (!to_stdout)
		say_written(path);
out:
	viewed_free(&viewed);
	free(path);
	return status;
}

static bool is_port(const char *text)
{
	return value_is_number(text) && strlen(text) <= 5 && strtoul(text, NULL, 10) <= UINT16_MAX;
}

static bool is_seconds(const char *text)
{
	return value_is_number(text) && strlen(text) <= 9;
}

static const struct command_option options[] = {
	{ "output", "FILE", .letter = 'o', INTO(TEXT, output),
	  .help = "write the page to FILE, - for standard output (FILE.html beside the first "
		  "FILE.tpt)" },
	{ "source", "DIRECTORY", INTO(TEXT, wanted.source),
	  .help = "look there for source files that are not where they were compiled" },
	OPTION_NUMBER("strands", LONG, wanted.most,
		      "keep at most N strands in full, the longest and those of the ready path "
		      "(4000000; 200000 with --serve)"),
	OPTIONS_SPEEDUPS("add to the speed-ups ", curves),
	{ "serve", INTO(FLAG, wanted.is_served),
	  .help = "write no file: serve the page to a browser on this machine, with all strands of "
		  "what is in view" },
	{ "port", "N", .is = is_port, .takes = "a number up to 65535", INTO(NUMBER, port),
	  .help = "with --serve: the port (any free one)" },
	{ "idle", "SECONDS", .is = is_seconds, .takes = "a number of seconds", INTO(NUMBER, idle_s),
	  .help = "with --serve: exit after SECONDS without a request (only at Ctrl-C)" },
	{ 0 },
};

static int show(void *context, char **trace, int n)
{
	const struct request *request = context;

	return (request->wanted.is_served ? serve : view)(request, trace, (uint32_t)n);
}

static int run(int argc, char **argv)
{
	struct request request = { .wanted = { .most = UINT64_MAX,
					       .put_report = json_report,
					       .put_bounds = bounds_put_json,
					       .put_facts = screen_put_facts,
					       .put_notes = screen_put_notes } };
	struct call call;

	if (!call_open(&call, &cmd_view, argc, argv, &request))
		return call.status;
	if (call.n > VIEWED_MOST)
		return say_usage("view", "%d traces; name at most %d", call.n, VIEWED_MOST);
	if (request.wanted.is_served && request.output)
		return say_usage("view", "--serve writes no file; leave out --output");
	if (!request.wanted.is_served && (request.port || request.idle_s))
		return say_usage("view", "--port and --idle are of --serve");
	if (request.wanted.most == UINT64_MAX)
		request.wanted.most = request.wanted.is_served ? VIEW_SERVED : VIEW_STRANDS;
	return say_finish(call_traces(&call, show, &request));
}

const struct command cmd_view = {
	.name = "view",
	.run = run,
	.line = "write a web page that shows the run",
	.arguments = "[OPTIONS] [FILE...]",
	.about = "Writes one HTML file that needs nothing else: verdict, findings, profile,\n"
		 "parallelism over time, and a timeline of each worker. FILE is a trace, or a "
		 "trace\n"
		 "as text; by default the newest *.tpt in the working directory. Two or three "
		 "traces\n"
		 "are shown on one time scale, with the table of `tptrace diff`.\n",
	.option = options,
};

/* SPDX-License-Identifier: MIT */
/* cmd_view.c - tptrace view: a run, some side by side, or a job, as a page for a browser. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/viewed.h"
#include "tools/base/at_most.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/base/output.h"
#include "tools/base/values.h"
#include "tools/view/job_page.h"
#include "tools/view/view_server.h"
#include "tools/cmd/view_job.h"
#include "tools/cmd/warn.h"
#include "tools/report/bounds_facts.h"
#include "tools/report/report_json.h"
#include "tools/report/screen.h"
#include "tools/table/put.h"
#include "tools/team/jobs.h"

struct request {
	const char *output; /* NULL: beside the trace */
	struct view_wanted wanted;
	struct speedups_wanted curves;
	uint32_t port;	 /* of --serve; 0: any */
	uint32_t idle_s; /* 0: for ever */
	bool compare;
	uint32_t n_at_once;
	struct job_request job;
};

#define JOB_STRANDS 1000000u /* in full, of all processes with pages: what there is room for */

/* "x.tpt" as "x.html", "folder/" as "folder.html", "." as "./job.html"; malloc'ed. */
static char *page_path(const char *trace)
{
	size_t n = strlen(trace);
	char *path = xmalloc(n + sizeof("/job.html"));
	const char *name;

	while (n > 1 && trace[n - 1] == '/')
		n--;
	name = memrchr(trace, '/', n);
	name = name ? name + 1 : trace;
	if (strspn(name, "./") >= n - (size_t)(name - trace)) {
		memcpy(path, trace, n);
		strcpy(path + n, "/job.html");
		return path;
	}
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
	AT_END(output_discard) struct output output = { 0 };
	struct view *view;
	int error = output_file(&output, path, err);

	if (error)
		return error;
	view_open(&view, viewed->shown, viewed->n, wanted);
	view_put(output.file, view);
	view_close(view);
	return output_keep(&output, err);
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
		damaged |= warn_of(&viewed->of[i].run);
	return damaged;
}

/* The exit status for n traces whose page is asked for. */
static int serve(const struct request *request, char **trace, uint32_t n)
{
	AT_END(viewed_free) struct viewed viewed = { 0 };
	struct view *view = NULL;
	struct err err = { 0 };
	struct view_server server = { 0 };
	int error = view_server_open(&server, (uint16_t)request->port, &err), status = 0;

	if (!error)
		error = viewed_open(&viewed, trace, n, &request->curves, &err);
	waiting_at(&server.waiting, WAITING_ARRANGE);
	if (!error) {
		view_open(&view, viewed.shown, n, &request->wanted);
		status = warn_of_all(&viewed) ? 1 : 0;
		error = view_serve(&server, view, request->idle_s, &err);
	}
	view_server_close(&server);
	view_close(view);
	return error ? say_fail(&err) : status;
}

/* The exit status for n traces. */
static int view(const struct request *request, char **trace, uint32_t n)
{
	FREED char *path = request->output ? xstrdup(request->output) : page_path(trace[0]);
	AT_END(viewed_free) struct viewed viewed = { 0 };
	struct err err = { 0 };
	bool damaged;

	if (viewed_open(&viewed, trace, n, &request->curves, &err) < 0 ||
	    write_page(path, &viewed, &request->wanted, &err) < 0)
		return say_fail(&err);
	damaged = warn_of_all(&viewed);
	if (strcmp(path, "-") != 0)
		say_written(path);
	return damaged;
}

/* ---- which of them ---- */

/*
 * Whether they are the processes of one run.  Of a few of which nothing is known, nobody says so:
 * they are compared; more than that are taken for a job, as the report takes them.
 */
static bool is_job(struct inputs *inputs)
{
	enum jobs_rest rest = inputs->n > VIEW_SIDES_MOST ? JOBS_REST_TOGETHER : JOBS_REST_APART;

	return inputs->n > 1 && jobs_find(inputs, rest) == 1;
}

static int show_job(struct request *request, struct inputs *inputs, char **argument)
{
	struct team team;
	FREED char *path = request->output ? xstrdup(request->output) : page_path(argument[0]);
	int status = 1;

	request->job = (struct job_request){ .output = path,
					     .wanted = request->wanted,
					     .n_processes = inputs->n };
	if (request->wanted.most == UINT64_MAX)
		request->job.wanted.most = JOB_STRANDS / at_most(inputs->n, JOB_PAGES);
	if (team_open(&team, NULL, false, request->n_at_once,
		      (struct team_work){ view_job_piece, &request->job }, &status))
		status = view_job(&request->job, &team, inputs);
	if (status == 0 && strcmp(path, "-") != 0)
		say_written(path);
	return status;
}

static int show(void *context, char **trace, int n)
{
	struct request *request = context;

	if (request->wanted.most == UINT64_MAX) {
		request->wanted.most = request->wanted.is_served ? VIEW_SERVED : VIEW_STRANDS;
		request->wanted.bytes = VIEW_BYTES;
	}
	return (request->wanted.is_served ? serve : view)(request, trace, (uint32_t)n);
}

/* By what they are called; as they were given. */
static int show_runs(struct request *request, struct inputs *inputs)
{
	char *path[VIEW_SIDES_MOST];

	for (uint32_t i = 0; i < inputs->n; i++)
		path[inputs->at[i].given] = inputs->at[i].path;
	return show(request, path, (int)inputs->n);
}

static int show_inputs(struct request *request, struct inputs *inputs, char **argument)
{
	bool of_one = request->wanted.is_served || speedups_are_wanted(&request->curves);

	if (!request->compare && is_job(inputs))
		return of_one ? say_usage("view", "--serve, --simulate and --predict-from show one "
						  "process: name its trace")
			      : show_job(request, inputs, argument);
	if (inputs->n_bad || !inputs->n) /* that was said */
		return 1;
	if (inputs->n <= VIEW_SIDES_MOST)
		return show_runs(request, inputs);
	return say_usage("view",
			 request->compare ? "%u traces; name at most %d to compare"
					  : "%u traces of several runs; name those of one job, or "
					    "at most %d to compare",
			 inputs->n, VIEW_SIDES_MOST);
}

static int show_many(struct request *request, char **argument, int n)
{
	AT_END(inputs_free) struct inputs inputs = { 0 };

	inputs_open(&inputs, argument, n);
	return show_inputs(request, &inputs, argument);
}

static const struct command_option options[] = {
	{ "output", "FILE", .letter = 'o', INTO(TEXT, output),
	  .help = "write the page to FILE, - for standard output (FILE.html beside the first "
		  "FILE.tpt)" },
	{ "source", "DIRECTORY", INTO(TEXT, wanted.source),
	  .help = "look there for source files that are not where they were compiled" },
	OPTION_NUMBER("strands", LONG, wanted.most,
		      "keep at most N strands in full, the longest and those of the ready path "
		      "(1000000, or so many fewer that the page has 15 MB, or they 4 MB of it; "
		      "200000 with --serve)"),
	OPTIONS_SPEEDUPS("add to the speed-ups ", curves),
	{ "compare", INTO(FLAG, compare),
	  .help = "show two or three traces as rival runs, also if they are processes of one job" },
	OPTION_JOBS(n_at_once),
	{ "serve", INTO(FLAG, wanted.is_served),
	  .help = "write no file: serve the page to a browser on this machine, with all strands of "
		  "what is in view" },
	{ "port", "N", .most = UINT16_MAX, .takes = "a number up to 65535", INTO(NUMBER, port),
	  .help = "with --serve: the port (any free one)" },
	{ "idle", "SECONDS", .most = 999999999, .takes = "a number of seconds",
	  INTO(NUMBER, idle_s),
	  .help = "with --serve: exit after SECONDS without a request (only at Ctrl-C)" },
	{ 0 },
};

static int run(int argc, char **argv)
{
	struct request request = { .wanted = { .most = UINT64_MAX,
					       .put_report = json_report,
					       .put_bounds = bounds_put_json,
					       .put_facts = screen_put_facts,
					       .put_notes = screen_put_notes,
					       .put_fates = screen_put_fates } };
	struct call call;

	if (!call_open(&call, &cmd_view, argc, argv, &request))
		return call.status;
	if (request.wanted.is_served && request.output)
		return say_usage("view", "--serve writes no file; leave out --output");
	if (!request.wanted.is_served && (request.port || request.idle_s))
		return say_usage("view", "--port and --idle are of --serve");
	if (call.n && !inputs_single(call.argument, call.n))
		return say_finish(show_many(&request, call.argument, call.n));
	return say_finish(call_traces(&call, show, &request));
}

const struct command cmd_view = {
	.name = "view",
	.run = run,
	.line = "write a web page that shows the run",
	.arguments = "[OPTIONS] [FILE...]",
	.about = "Writes one HTML file that needs nothing else: verdict, findings, profile,\n"
		 "parallelism over time, and a timeline of each worker. FILE is a trace, a trace "
		 "as\n"
		 "text, or a directory of traces; by default the newest *.tpt in the working "
		 "directory.\n"
		 "Traces of one job, like ranks of MPI, are one page: a row for each process, on "
		 "one\n"
		 "clock. Two or three other traces are shown side by side, with the table of\n"
		 "`tptrace diff`.\n",
	.option = options,
};

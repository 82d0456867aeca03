/* SPDX-License-Identifier: MIT */
/* cmd_export.c - tptrace export: a trace in the formats of other tools. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/team/newest.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/cmd/export_many.h"
#include "tools/team/inputs.h"
#include "tools/cmd/output.h"
#include "tools/base/values.h"
#include "tools/cmd/warn.h"
#include "tools/export/chosen.h"
#include "tools/export/format.h"
#include "tools/export/progress.h"
#include "tools/export/folded.h"
#include "tools/run/run.h"

#define N_NODES 2500u /* dot lays them out in half a second */

struct request {
	const struct format *format;
	const char *out;    /* NULL: named after the trace; a directory for several */
	uint32_t n_at_once; /* 0: as many as is usual */
	bool nodes, stacks; /* were said */
	struct phases_wanted wanted;
	struct export_cut cut;
};

/* ---- what is written ---- */

static int write_export(const struct format *format, const struct export *export,
			struct output *output, struct err *err)
{
	const char *path = output->path;
	struct err why = { 0 };
	int error;

	if (format->folder)
		error = output_folder(output, path, err);
	else
		error = format->file ? output_file(output, path, err)
				     : output_named(output, path, err);
	if (error)
		return error;
	if (format->file)
		error = format->file(export, output->file, &why);
	else
		error = (format->folder ? format->folder : format->named)(export, output->temporary,
									  &why);
	return error ? err_set(err, -error, "%s: %s", path, why.text) : output_keep(output, err);
}

/* What became of it: on stderr, for the export may be on standard output. */
static void say(const struct request *request, const struct export *export,
		const struct output *output)
{
	char size[40] = "";

	if (output->bytes >= 10000000)
		snprintf(size, sizeof(size), "%.0f MB, ", (double)output->bytes / 1e6);
	else if (output->bytes >= 10000)
		snprintf(size, sizeof(size), "%.0f kB, ", (double)output->bytes / 1e3);
	else if (output->bytes)
		snprintf(size, sizeof(size), "%" PRIu64 " bytes, ", output->bytes);
	say_print(stderr, "tptrace: %s: %s%" PRIu64 " tasks, %" PRIu64 " strands",
		  output->file == stdout ? "standard output" : output->path, size, export->n_tasks,
		  export->n_strands);
	if (export->n_collapsed)
		fprintf(stderr, "; %" PRIu64 " more tasks are collapsed", export->n_collapsed);
	if (export->tasks_out || export->strands_out)
		fprintf(stderr, "; left out: %" PRIu64 " tasks, %" PRIu64 " strands",
			export->tasks_out, export->strands_out);
	if (export->dag->n_lost)
		fprintf(stderr, "; %" PRIu64 " events were lost", export->dag->n_lost);
	fprintf(stderr, "; open it with %s\n", request->format->reader);
}

static int export_run(const struct request *request, const struct run *run, const char *out,
		      struct progress **progress, struct err *err)
{
	struct summary summary = { 0 };
	struct export export = { 0 };
	struct output output = { 0 };
	int error;

	progress_stage(*progress, "analysing", 0);
	error = summary_build(&summary, run, SUMMARY_USUAL, err);
	if (error)
		goto out;
	error = export_open(&export, &summary, &request->cut, err);
	if (error)
		goto out;
	export.progress = *progress;
	progress_stage(*progress, "writing", export.n_strands);
	output.path = out;
	error = write_export(request->format, &export, &output, err);
	progress_close(*progress); /* what is said next is not written on its line */
	*progress = NULL;
	if (!error)
		say(request, &export, &output);
out:
	output_discard(&output);
	export_close(&export);
	summary_free(&summary);
	return error;
}

/* To `out`, or if that is NULL, nowhere: there was no memory.  The exit status. */
static int export_trace(const struct request *request, const char *path, char *out)
{
	struct progress *progress = progress_open();
	struct run run = { 0 };
	struct err err = { 0 };
	bool damaged = false;
	int error;

	progress_stage(progress, "reading", 0);
	error = out ? run_open(&run, path, &request->wanted, &err)
		    : err_set(&err, ENOMEM, "out of memory");
	if (!error)
		error = export_run(request, &run, out, &progress, &err);
	progress_close(progress);
	if (!error)
		damaged = warn_of(&run);
	run_close(&run);
	free(out);
	return error ? say_fail(&err) : damaged;
}

static int export_one(const struct request *request, const char *path)
{
	return export_trace(request, path,
			    request->out ? strdup(request->out)
					 : export_path(NULL, path, request->format->suffix));
}

/* One of several. */
static int export_piece(void *context, const char *path, FILE *result)
{
	const struct request *request = context;

	(void)result;
	return export_trace(request, path,
			    export_path(request->out, path, request->format->suffix));
}

/* ---- the call ---- */

enum { TO, OUTPUT, FROM, UNTIL, PHASE, REGION, WORKER, KIND, TOP, NODES, STACKS, AT_ONCE };

static const struct command_option options[] = {
	[TO] = { .name = "to",
		 .value = "perfetto|sqlite|csv|chrome|otf2|graphml|dot|folded|speedscope|paje",
		 .help = "the format" },
	[OUTPUT] = { .letter = 'o',
		     .name = "output",
		     .value = "OUT",
		     .help = "write to OUT, - for standard output; by default the trace's name "
			     "with the format's ending, in the working directory; for several "
			     "traces, OUT is a directory" },
	[FROM] = OPTION_TIME("from", "export only what ran from that time on: 1.5s, 20ms, 300us"),
	[UNTIL] = OPTION_TIME("until", "export only what ran up to that time"),
	[PHASE] = OPTION_PHASE("export"),
	[REGION] = OPTION_REGION("export"),
	[WORKER] = { .name = "worker",
		     .value = "LIST",
		     .is = chosen_is_list,
		     .takes = "numbers and ranges of workers, like 0,2-5",
		     .help = "export only what ran on these workers: 0,2-5" },
	[KIND] = { .name = "kind",
		   .value = "NAME",
		   .help = "export only tasks whose function has that name" },
	[TOP] = OPTION_NUMBER("top", "export only the N tasks with the most work (0: all)"),
	[NODES] = OPTION_NUMBER(
		"nodes", "for graphml and dot: contract the graph to N nodes (2500; 0: all)"),
	[STACKS] = { .name = "stacks",
		     .value = "work|delay|blocked|no-work|all",
		     .help = "for folded: what to sum up (work)" },
	[AT_ONCE] = TEAM_OPTION,
	TEAM_VARIABLE,
	{ .variable = "TPTRACE_DEBUG_PATH",
	  .value = "DIRECTORY:..",
	  .help = "look for separate debug files there, and in /usr/lib/debug" },
	{ 0 },
};

static void take(struct request *request, int option, const char *value)
{
	switch (option) {
	case TO:
		request->format = format_find(value);
		break;
	case OUTPUT:
		request->out = value;
		break;
	case FROM:
		value_time(value, &request->wanted.from_ns);
		break;
	case UNTIL:
		value_time(value, &request->wanted.to_ns);
		break;
	case PHASE:
		request->wanted.phase = value;
		break;
	case REGION:
		request->wanted.region = value;
		break;
	case WORKER:
		request->cut.workers = value;
		break;
	case KIND:
		request->cut.kind = value;
		break;
	case TOP:
		request->cut.top = value_number(value);
		break;
	case NODES:
		request->nodes = true;
		request->cut.n_nodes = value_number(value);
		break;
	case STACKS:
		request->stacks = true;
		request->cut.folded = folded_of(value);
		break;
	case AT_ONCE:
		request->n_at_once = value_number(value);
		break;
	}
}

/* What is wrong with the call: 2, or 0 if nothing is. */
static int check_call(const struct request *request)
{
	const struct format *format = request->format;
	bool standard = request->out && strcmp(request->out, "-") == 0;
	const char *why;

	if (!format)
		return say_usage("export", "name a format: --to perfetto, sqlite, csv, chrome, "
					   "otf2, graphml, dot, folded, speedscope or paje");
	if (request->wanted.from_ns >= request->wanted.to_ns)
		return say_usage("export", "--from must be before --until");
	if (request->nodes && format != &format_graphml && format != &format_dot)
		return say_usage("export", "--nodes is for --to graphml and dot, not %s",
				 format->name);
	if (request->stacks && format != &format_folded)
		return say_usage("export", "--stacks is for --to folded, not %s", format->name);
	if (!format->file && !format->named && !format->folder)
		return say_usage("export", "this build has no %s: its library was missing",
				 format->name);
	why = format->load ? format->load() : NULL;
	if (why)
		return say_usage("export", "cannot load the library of %s: %s", format->name, why);
	if (standard && !format->file)
		return say_usage("export",
				 "%s cannot be written to standard output; name a %s "
				 "with -o",
				 format->name, format->folder ? "directory" : "file");
	if (standard && format->binary && isatty(STDOUT_FILENO))
		return say_usage("export",
				 "%s is binary, and standard output is a terminal; "
				 "redirect it, or name a file with -o",
				 format->name);
	return 0;
}

static int export_newest(const struct request *request)
{
	struct err err = { 0 };
	char *newest = newest_trace(&err);
	int status = newest ? export_one(request, newest) : say_fail(&err);

	free(newest);
	return status;
}

/* What the arguments name. */
static int export_named(const struct request *request, struct team *team, char **argument, int n)
{
	bool single = n == 0 || inputs_single(argument, n);
	bool standard = request->out && strcmp(request->out, "-") == 0;
	struct err err = { 0 };

	if (!single && !standard)
		return export_many(team, argument, n, request->out, request->format->suffix);
	if (team_close(team, &err) < 0)
		return say_fail(&err);
	if (!single)
		return say_usage("export",
				 "several traces cannot be written to standard output; name a "
				 "directory with -o");
	return n ? export_one(request, argument[0]) : export_newest(request);
}

static int run(int argc, char **argv)
{
	struct request request = { .wanted.to_ns = UINT64_MAX, .cut.n_nodes = N_NODES };
	struct call call = call_open(&cmd_export, argc, argv);
	struct team team;
	int option, status;

	while ((option = call_next(&call)) >= 0)
		take(&request, option, call.value);
	if (option == CALL_OVER)
		return call.status;
	status = check_call(&request);
	if (status)
		return status;
	if (!team_open(&team, argv, optind, request.n_at_once,
		       (struct team_work){ export_piece, &request }, &status))
		return status;
	return say_finish(export_named(&request, &team, argv + optind, argc - optind));
}

const struct command cmd_export = {
	.name = "export",
	.run = run,
	.line = "convert a trace for another tool",
	.arguments = "--to FORMAT [OPTIONS] [FILE...]",
	.about =
		"Writes a trace in a format that other tools open: perfetto and chrome for "
		"ui.perfetto.dev,\n"
		"sqlite and csv for queries, otf2 for Vampir and Cube, graphml and dot for graphs, "
		"folded and\n"
		"speedscope for flame graphs, paje for StarVZ and ViTE. FILE is a trace or a "
		"directory of\n"
		"traces, by default the newest *.tpt in the working directory. Each of several "
		"traces\n"
		"becomes an export of its own.\n",
	.option = options,
	.ranks = RANKS_TOGETHER,
};

/* SPDX-License-Identifier: MIT */
/* cmd_export.c - tptrace export: a trace in the formats of other tools. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/team/inputs.h"
#include "tools/team/jobs.h"
#include "tools/base/output.h"
#include "tools/base/values.h"
#include "tools/cmd/warn.h"
#include "tools/export/chosen.h"
#include "tools/export/format.h"
#include "tools/base/progress.h"
#include "tools/export/folded.h"
#include "tools/run/run.h"
#include "tools/base/folder.h"
#include "tools/team/runs.h"
#include "tools/base/base_name.h"
#include "tools/team/team.h"

/* "there/run.sqlite" for "traces/run.tpt", "there/run.1.sqlite" for "traces/run.tpt.1"; `there` may
 * be NULL.  Yours to free(). */
static char *export_path(const char *there, const char *path, const char *suffix)
{
	const char *base = path_base(path), *end = strstr(base, ".tpt"), *rest = "";
	bool slash = there && *there && there[strlen(there) - 1] != '/';

	if (!end)
		end = strstr(base, ".txt");
	if (end)
		rest = end + strlen(".tpt");
	return xasprintf("%s%s%.*s%s%s", there ? there : "", slash ? "/" : "",
			 end ? (int)(end - base) : (int)strlen(base), base, rest, suffix);
}

/* ---- names ---- */

struct named {
	char *name;
	const char *path;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Fails if two traces would go to one name. */
static int check_names(const struct inputs *inputs, const char *there, const char *suffix,
		       struct err *err)
{
	FREED struct named *named = xcalloc(inputs->n + 1ull, sizeof(*named));
	int error = 0;

	for (uint32_t i = 0; i < inputs->n; i++)
		named[i] = (struct named){ export_path(there, inputs->at[i].path, suffix),
					   inputs->at[i].path };
	qsort(named, inputs->n, sizeof(*named), by_name);
	for (uint32_t i = 1; !error && i < inputs->n; i++)
		if (by_name(&named[i - 1], &named[i]) == 0)
			error = err_set(err, EEXIST,
					"%s and %s would both become %s; export them one after the "
					"other, to two directories",
					named[i - 1].path, named[i].path, named[i].name);
	for (uint32_t i = 0; i < inputs->n; i++)
		free(named[i].name);
	return error;
}

static int make_folder(const char *there, struct err *err)
{
	if (!there || mkdir(there, 0777) == 0 || is_folder(there))
		return 0;
	return err_set(err, errno, "%s: %s; several exports need a directory", there,
		       strerror(errno));
}

/* ---- all of them ---- */

/* The exit status.  The arguments name traces, and directories of traces; `there` is a directory,
 * which is made if it does not exist, or NULL.  Closes the team. */
static int export_many(struct team *team, char **argument, int n, const char *there,
		       const char *suffix)
{
	struct runs runs = { .team = team };
	AT_END(inputs_free) struct inputs inputs = { 0 };
	struct err err = { 0 };
	int status = 0;

	inputs_open(&inputs, argument, n);
	if ((check_names(&inputs, there, suffix, &err) ?: make_folder(there, &err)
		     ?: runs_of_inputs(&runs, &inputs, false, &err)) < 0)
		status = say_fail(&err);
	if (team_close(team, &err) < 0)
		status = say_fail(&err);
	return status ?: runs.n_bad || inputs.n_bad;
}

#define N_NODES 2500u /* dot lays them out in half a second */

struct request {
	const struct format *format;
	const char *out;    /* NULL: named after the trace; a directory for several */
	uint32_t n_at_once; /* 0: as many as is usual */
	bool nodes;	    /* --nodes was said; cut.folded: FOLDED_COUNT if --stacks was not */
	struct phases_wanted wanted;
	struct export_cut cut;
};

/* ---- what is written ---- */

/* What it is written from: a run, or the ranks of a job. */
struct exported {
	const struct export *export;
	const struct format_job *job;
	uint64_t n_tasks, n_strands, n_collapsed, tasks_out, strands_out, n_lost;
};

static void add_exported(struct exported *exported, const struct export *export)
{
	exported->n_tasks += export->n_tasks;
	exported->n_strands += export->n_strands;
	exported->n_collapsed += export->n_collapsed;
	exported->tasks_out += export->tasks_out;
	exported->strands_out += export->strands_out;
	exported->n_lost += export->dag->n_lost;
}

static int write_export(const struct format *format, const struct exported *exported,
			struct output *output, struct err *err)
{
	const struct export *export = exported->export;
	const char *path = output->path;
	const char *why_not = export && format->why_not ? format->why_not(export) : NULL;
	struct err why = { 0 };
	int error;

	if (why_not)
		return err_set(err, EINVAL, "%s: %s", path, why_not);
	error = (format->folder ? output_folder
		 : format->file ? output_file
				: output_named)(output, path, err);
	if (error)
		return error;
	if (exported->job)
		error = format->job(exported->job, output->temporary, output->file, &why);
	else if (format->file)
		format->file(export, output->file);
	else
		error = (format->folder ? format->folder : format->named)(export, output->temporary,
									  &why);
	if (error)
		return err_set(err, -error, "%s: %s", path,
			       why.text[0] ? why.text : strerror(-error));
	return output_keep(output, err);
}

/* What became of it: on stderr, for the export may be on standard output. */
static void say(const struct request *request, const struct exported *exported,
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
		  output->file == stdout ? "standard output" : output->path, size,
		  exported->n_tasks, exported->n_strands);
	if (exported->n_collapsed)
		fprintf(stderr, "; %" PRIu64 " more tasks are collapsed", exported->n_collapsed);
	if (exported->tasks_out || exported->strands_out)
		fprintf(stderr, "; left out: %" PRIu64 " tasks, %" PRIu64 " strands",
			exported->tasks_out, exported->strands_out);
	if (exported->n_lost)
		fprintf(stderr, "; %" PRIu64 " events were lost", exported->n_lost);
	fprintf(stderr, "; open it with %s\n", request->format->reader);
}

/* A trace, and what of it is exported. */
struct opened {
	struct summed of;
	struct export export;
};

static int open_trace(struct opened *opened, const struct request *request, const char *path,
		      struct progress *progress, struct err *err)
{
	int error;

	progress_stage(progress, "reading", 0);
	error = run_open(&opened->of.run, path, &request->wanted, err);
	if (error)
		return error;
	progress_stage(progress, "analysing", 0);
	summary_build(&opened->of.summary, &opened->of.run, SUMMARY_USUAL);
	error = export_open(&opened->export, &opened->of.summary, &request->cut, err);
	opened->export.progress = progress;
	if (!error)
		progress_stage(progress, "writing", opened->export.n_strands);
	return error;
}

static void close_trace(struct opened *opened)
{
	export_close(&opened->export);
	summed_close(&opened->of);
}

/* The exit status.  It has the name of the output, which it frees. */
static int export_trace(const struct request *request, const char *path, char *out)
{
	FREED char *name = out;
	struct progress *progress = progress_open();
	AT_END(close_trace) struct opened opened = { 0 };
	AT_END(output_discard) struct output output = { .path = name };
	struct exported exported = { .export = &opened.export };
	struct err err = { 0 };
	int error = open_trace(&opened, request, path, progress, &err);

	if (!error) {
		add_exported(&exported, &opened.export);
		error = write_export(request->format, &exported, &output, &err);
	}
	progress_close(progress); /* what is said next is not written on its line */
	if (error)
		return say_fail(&err);
	say(request, &exported, &output);
	return warn_of(&opened.of.run);
}

static int export_one(const struct request *request, const char *path)
{
	return export_trace(request, path,
			    request->out ? xstrdup(request->out)
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

/* ---- a job as one ---- */

struct ranks_shown {
	const struct request *request;
	const struct inputs *inputs;
	struct progress *progress;
	struct exported exported;
	struct job_times times;
	struct err err; /* about the trace at hand */
	bool damaged;
};

static int show_rank(void *context, uint32_t i,
		     int (*show)(void *to, uint32_t i, const struct export *export), void *to)
{
	struct ranks_shown *ranks = context;
	AT_END(close_trace) struct opened opened = { 0 };
	int error = open_trace(&opened, ranks->request, ranks->inputs->at[i].path, ranks->progress,
			       &ranks->err)
			    ?: show(to, i, &opened.export);

	if (!error) {
		add_exported(&ranks->exported, &opened.export);
		ranks->damaged |= warn_of(&opened.of.run);
	}
	return error;
}

/* First, when things happened, by what the ranks sent each other. */
static int find_times(struct ranks_shown *ranks)
{
	job_times_open(&ranks->times, ranks->inputs->n);
	for (uint32_t i = 0; i < ranks->inputs->n; i++) {
		AT_END(run_close) struct run run = { 0 };
		int error = run_open(&run, ranks->inputs->at[i].path, &ranks->request->wanted,
				     &ranks->err);

		if (error)
			return error;
		job_times_add(&ranks->times, &run);
	}
	job_times_find(&ranks->times);
	return 0;
}

/* Those of one rank follow each other. */
static bool is_again(const struct inputs *inputs, uint32_t i)
{
	const struct input *of = &inputs->at[i];

	for (uint32_t k = i; k-- > 0 && inputs->at[k].rank == of->rank;)
		if (inputs->at[k].world == of->world)
			return true;
	return false;
}

/* Ranks of one job, each there once; those that others spawned are of another world. */
static bool is_job(struct inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		if (!inputs->at[i].has_rank || is_again(inputs, i))
			return false;
	return inputs->n > 1 && jobs_find(inputs, JOBS_REST_TOGETHER) == 1;
}

static int export_ranks(const struct request *request, struct inputs *inputs)
{
	struct ranks_shown ranks = { .request = request,
				     .inputs = inputs,
				     .progress = progress_open() };
	const struct format_job job = { &ranks.times, show_rank, &ranks };
	FREED char *out =
		request->out ? xstrdup(request->out)
			     : export_path(NULL, inputs->at[0].path, request->format->suffix);
	AT_END(output_discard) struct output output = { .path = out };
	struct err err = { 0 };
	int error;

	ranks.exported.job = &job;
	progress_stage(ranks.progress, "reading", 0);
	error = find_times(&ranks) ?: write_export(request->format, &ranks.exported, &output, &err);
	progress_close(ranks.progress);
	if (!error && ranks.times.n_apart)
		say_warn("times of %u of %u ranks are on their own hosts' clocks: no messages went "
			 "both ways that compare these with the first rank's",
			 ranks.times.n_apart, ranks.times.n);
	if (!error)
		say(request, &ranks.exported, &output);
	job_times_close(&ranks.times);
	return error ? say_fail(ranks.err.text[0] ? &ranks.err : &err)
		     : ranks.damaged || inputs->n_bad;
}

/* ---- the call ---- */

static void take_format(void *request, const char *value)
{
	((struct request *)request)->format = format_find(value);
}

static void note_nodes(void *request, const char *value)
{
	(void)value;
	((struct request *)request)->nodes = true;
}

static const struct command_option options[] = {
	{ "to", "perfetto|sqlite|csv|chrome|otf2|graphml|dot|folded|speedscope|paje|pprof",
	  .take = take_format, .help = "the format" },
	{ "output", "OUT", .letter = 'o', INTO(TEXT, out),
	  .help = "write to OUT, - for standard output; by default the trace's name with the "
		  "format's ending, in the working directory; for several traces, OUT is a "
		  "directory" },
	OPTIONS_TIMES("export only what ran", wanted),
	OPTIONS_PART("export", wanted),
	{ "worker", "LIST", .is = chosen_is_list,
	  .takes = "numbers and ranges of workers, like 0,2-5", INTO(TEXT, cut.workers),
	  .help = "export only what ran on these workers: 0,2-5" },
	{ "kind", "NAME", INTO(TEXT, cut.kind),
	  .help = "export only tasks whose function has that name" },
	OPTION_NUMBER("top", NUMBER, cut.top,
		      "export only the N tasks with the most work (0: all)"),
	{ "nodes", "N", .is = value_is_number, .takes = "a number", INTO(NUMBER, cut.n_nodes),
	  .take = note_nodes,
	  .help = "for graphml and dot: contract the graph to N nodes (2500; 0: all)" },
	{ "stacks", "work|delay|blocked|no-work|all|code", INTO(WORD, cut.folded),
	  .help = "for folded: what to sum up (work)" },
	OPTION_JOBS(n_at_once),
	VARIABLE_RANKS,
	VARIABLE_DEBUG_PATH,
	{ 0 },
};

/* What is wrong with the call: 2, or 0 if nothing is. */
static int check_call(const struct request *request)
{
	const struct format *format = request->format;
	bool standard = request->out && strcmp(request->out, "-") == 0;
	const char *why;

	if (!format)
		return say_usage("export", "name a format: --to perfetto, sqlite, csv, chrome, "
					   "otf2, graphml, dot, folded, speedscope, paje or pprof");
	if (request->wanted.from_ns >= request->wanted.to_ns)
		return say_usage("export", "--from must be before --until");
	if (request->nodes && format != &format_graphml && format != &format_dot)
		return say_usage("export", "--nodes is for --to graphml and dot, not %s",
				 format->name);
	if (request->cut.folded < FOLDED_COUNT && format != &format_folded)
		return say_usage("export", "--stacks is for --to folded, not %s", format->name);
	if (!format->file && !format->named && !format->folder)
		return say_usage("export", "this build has no %s: its library was missing",
				 format->name);
	why = format->load ? format->load() : NULL;
	if (why)
		return say_usage("export", "cannot load the library of %s: %s", format->name, why);
	if (standard && !format->file)
		return say_usage("export",
				 "%s cannot be written to standard output; name a %s with -o",
				 format->name, format->folder ? "directory" : "file");
	if (standard && format->binary && isatty(STDOUT_FILENO))
		return say_usage("export",
				 "%s is binary, and standard output is a terminal; "
				 "redirect it, or name a file with -o",
				 format->name);
	return 0;
}

static int export_first(void *request, char **path, int n)
{
	(void)n;
	return export_one(request, path[0]);
}

/* Opens them if they are the ranks of one job, and the format has these in one export. */
static bool open_job(const struct request *request, const struct call *call, struct inputs *inputs)
{
	bool is_one = request->format->job;

	for (int quiet = 1; quiet >= 0 && is_one; quiet--) { /* then says what is no trace */
		inputs_free(inputs);
		inputs->quiet = quiet;
		inputs_open(inputs, call->argument, call->n);
		is_one = is_job(inputs);
	}
	if (!is_one)
		inputs_free(inputs);
	return is_one;
}

/* What the arguments name. */
static int export_named(struct request *request, struct team *team, const struct call *call)
{
	bool single = call->n == 0 || inputs_single(call->argument, call->n);
	bool standard = request->out && strcmp(request->out, "-") == 0;
	AT_END(inputs_free) struct inputs job = { 0 };
	struct err err = { 0 };
	int status;

	if (!single && !open_job(request, call, &job) && !standard)
		return export_many(team, call->argument, call->n, request->out,
				   request->format->suffix);
	if (team_close(team, &err) < 0)
		status = say_fail(&err);
	else if (job.n)
		status = export_ranks(request, &job);
	else if (!single)
		status = say_usage("export",
				   "several traces cannot be written to standard output; name a "
				   "directory with -o");
	else
		status = call_traces(call, export_first, request);
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = { .wanted.to_ns = UINT64_MAX,
				   .cut = { .n_nodes = N_NODES, .folded = FOLDED_COUNT } };
	struct call call;
	struct team team;
	int status;

	if (!call_open(&call, &cmd_export, argc, argv, &request))
		return call.status;
	status = check_call(&request);
	if (status)
		return status;
	if (request.cut.folded == FOLDED_COUNT)
		request.cut.folded = FOLDED_WORK;
	if (!team_open(&team, argv, call.n > 0, request.n_at_once,
		       (struct team_work){ export_piece, &request }, &status))
		return status;
	return say_finish(export_named(&request, &team, &call));
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
		"speedscope for flame graphs, paje for StarVZ and ViTE, pprof for stack samples by "
		"kind.\n"
		"FILE is a trace or a directory of\n"
		"traces, by default the newest *.tpt in the working directory. Each of several "
		"traces\n"
		"becomes an export of its own; with otf2, perfetto and paje, the ranks of a job "
		"become one,\n"
		"with their messages.\n",
	.option = options,
	.ranks = RANKS_TOGETHER,
};

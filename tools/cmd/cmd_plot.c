/* SPDX-License-Identifier: MIT */
/* cmd_plot.c - tptrace plot: runs as pictures for papers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/whatif/speedup_curves.h"
#include "tools/team/inputs.h"
#include "tools/base/output.h"
#include "tools/cmd/warn.h"
#include "tools/whatif/worker_list.h"
#include "tools/plot/draw.h"
#include "tools/plot/plot.h"
#include "tools/team/runs.h"
#include "tools/analysis/phases.h"
#include "tools/report/job.h"
#include "tools/team/team.h"
#include "tools/whatif/training.h"
#include "collector/trace/err.h"

#define MM 20, 2000, "millimetres, 20 to 2000"
#define POINTS 2, 72, "points, 2 to 72"
#define DPI 36, 1200, "dots per inch, 36 to 1200"

#define ONLY_CSV DRAW_FORMATS /* no picture */

struct plot_wanted {
	struct phases_wanted phases;
	uint32_t bounds; /* plot_traces_add() */
	bool ranks;	 /* of several traces: with what a job has of each */
};

/* What was read of all traces: `all` only of ranks. */
struct gathered {
	struct plot_traces *traces;
	struct processes all;
	bool ranks;
};

/* Opens, and adds, a trace that is read here.  0, or -errno and *err; `of` is open then. */
static int plot_read(struct plot_traces *traces, const char *path, const struct plot_wanted *wanted,
		     struct summed *of, struct err *err)
{
	int error = summed_open(of, path, &wanted->phases, SUMMARY_USUAL, err);

	if (!error)
		plot_traces_add(traces, &of->summary, path, wanted->bounds, wanted->ranks);
	return error;
}

/* Of team.h, on one trace; context is the plot_wanted. */
static int plot_piece(void *context, const char *path, FILE *result)
{
	const struct plot_wanted *wanted = context;
	AT_END(plot_traces_free) struct plot_traces traces = { 0 };
	AT_END(processes_free) struct processes one = { 0 };
	AT_END(summed_close) struct summed of = { 0 };
	struct bytes bytes = { .out = result };
	struct err err = { 0 };

	if (plot_read(&traces, path, wanted, &of, &err))
		return say_fail(&err);
	if (wanted->ranks) {
		processes_one(&one, of.run.reader, &of.summary);
		processes_pass(&one, &bytes, NULL);
	}
	plot_traces_pass(&traces, &bytes);
	return warn_of(&of.run);
}

static void take_trace(void *context, uint32_t i, const struct crew_done *done)
{
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };
	AT_END(processes_free) struct processes one = { 0 };
	struct gathered *to = context;

	(void)i;
	if (done->result.n && to->ranks) {
		processes_pass(&one, &bytes, &to->all.spool);
		processes_add(&to->all, &one);
	}
	if (done->result.n)
		plot_traces_pass(to->traces, &bytes);
}

/* Their names, when they began on one clock, and who waited for whom. */
static void place_ranks(struct plot_traces *traces, struct processes *all)
{
	AT_END(job_free) struct job job = { 0 };
	uint64_t first_ns = UINT64_MAX;
	char name[RANK_NAME];

	job_find(&job, all);
	for (uint32_t i = 0; i < all->n; i++)
		first_ns = at_most(first_ns, all->process[i].rank.calls.begin_ns);
	for (uint32_t i = 0; i < all->n; i++) {
		struct plot_trace *trace = &traces->trace[i];

		free(trace->name);
		trace->name = xstrdup(identity_who(name, &all->process[i].id));
		trace->begin_ns = all->process[i].rank.calls.begin_ns - first_ns;
	}
	for (uint32_t i = 0; i < job.waits.longest.n; i++) {
		struct long_wait wait = job.waits.longest.wait[i];

		wait.waiter = job.rank[wait.waiter].process;
		wait.late = job.rank[wait.late].process;
		wait.begin_ns -= first_ns;
		wait.end_ns -= first_ns;
		wait.released_ns -= first_ns;
		long_waits_add(&traces->waits, &wait);
	}
}

/*
 * Of all traces that the arguments name, files and directories, in the order of the arguments.
 * *n_bad of them are left out, or damaged, which is said on stderr.  0, or -errno and *err.
 */
static int plot_read_all(struct plot_traces *traces, struct team *team, char **argument, int n,
			 bool ranks, uint32_t *n_bad, struct err *err)
{
	struct gathered to = { .traces = traces, .all.n_jobs = 1, .ranks = ranks };
	struct runs runs = { .team = team, .take = take_trace, .context = &to };
	AT_END(inputs_free) struct inputs inputs = { 0 };
	int error;

	inputs_open(&inputs, argument, n);
	error = runs_of_inputs(&runs, &inputs, !ranks, err);

	if (!error && ranks)
		place_ranks(traces, &to.all);
	processes_free(&to.all);
	*n_bad = inputs.n_bad + runs.n_bad;
	return error;
}

static bool is_of(const struct training *training, const char *path, double n)
{
	for (unsigned i = 0; i < training->n; i++)
		if (strcmp(training->origin[i].path, path) == 0)
			return training->origin[i].n == n;
	return false;
}

/*
 * Makes a model of all traces, as `tptrace predict` does, and predicts their largest n on these
 * numbers of workers.  Traces of a smaller n are taken out of `traces`.  0, or -errno and *err.
 */
static int plot_predict(struct plot_traces *traces, char **path, int n, const char *workers,
			struct err *err)
{
	AT_END(training_free) struct training training = { 0 };
	AT_END(predict_free) struct predict predict = { 0 };
	double most = 0;
	int error = training_read(&training, path, n, err)
			    ?: predict_fit(&predict, training.sample, training.n_samples, err);

	if (error)
		return error;
	for (unsigned i = 0; i < training.n; i++)
		most = fmax(most, training.origin[i].n);
	for (uint32_t t = traces->n; t-- > 0;)
		if (!is_of(&training, traces->trace[t].name, most))
			plot_traces_drop(traces, t);
	return speedup_predict(&traces->curves.of[SPEEDUPS_PREDICTED], &predict, most, workers,
			       err);
}

struct request {
	const char *output, *csv; /* csv NULL: none */
	unsigned format;	  /* enum draw_format, or ONLY_CSV */
	enum plot_what what;
	double width, height, font_size, dpi; /* height 0: as it fits */
	const char *font;
	struct plot_wanted wanted;
	unsigned arcs;	      /* bits of enum arc_what */
	const char *simulate; /* numbers of workers; NULL: no simulation */
	const char *predict;  /* the same, of a prediction */
	uint32_t n_at_once;   /* 0: as many as is usual */
};

/* ---- values ---- */

#define OPTION_SIZE(called, in, range, member, what) OPTION_REAL(called, in, range, member, what)
#define OPTION_REAL(called, in, from, to, of, member, what)                                        \
	{                                                                                          \
		.name = called, .value = in, .least = from, .most = to, .takes = of,               \
		INTO(REAL, member), .help = what                                                   \
	}

/* Bits of enum arc_what of a list; 0 if it is none. */
static unsigned find_arcs(const char *list)
{
	unsigned found = 0;

	if (strcmp(list, "all") == 0)
		return (1u << ARCS) - 1;
	while (*list) {
		size_t n = strcspn(list, ",");
		unsigned what = 0;

		while (what < ARCS &&
		       (strlen(arc_name[what]) != n || memcmp(arc_name[what], list, n) != 0))
			what++;
		if (what == ARCS || (list[n] && !list[n + 1]))
			return 0;
		found |= 1u << what;
		list += n + (list[n] == ',');
	}
	return found;
}

static bool is_arcs(const char *text)
{
	return find_arcs(text) != 0;
}

/* By what the name ends in; false: by nothing that is known. */
static bool find_format(struct request *request)
{
	const char *dot = strrchr(request->output, '.');

	if (!dot || strchr(dot, '/'))
		return false;
	for (request->format = 0; request->format < DRAW_FORMATS; request->format++)
		if (strcmp(dot + 1, draw_format_name[request->format]) == 0)
			return true;
	return strcmp(dot, ".csv") == 0;
}

static int write_picture(const struct request *request, const struct picture *picture,
			 struct err *err)
{
	AT_END(output_discard) struct output output = { 0 };

	if (request->format == ONLY_CSV)
		return 0;
	return output_file(&output, request->output, err)
		       ?: draw_picture(output.file, picture, (enum draw_format)request->format,
				       request->dpi, err)
		       ?: output_keep(&output, err);
}

/* ---- traces ---- */

struct plotting {
	const struct request *request;
	struct team team;
	struct picture picture;
	struct output csv;
	struct plot_traces traces;
	int status;
};

/* A picture that shows one trace. */
static int take_one(struct plotting *plotting, const char *path, struct err *err)
{
	const struct request *request = plotting->request;
	AT_END(summed_close) struct summed of = { 0 };
	int error = summed_open(&of, path, &request->wanted.phases, SUMMARY_USUAL, err)
			    ?: plot_one(&plotting->picture, plotting->csv.file, request->what,
					&of.summary, request->arcs, err);

	if (!error && warn_of(&of.run))
		plotting->status = 1;
	return error;
}

static int read_all(struct plotting *plotting, char **path, int n, struct err *err)
{
	const struct request *request = plotting->request;
	AT_END(summed_close) struct summed of = { 0 };
	uint32_t n_bad;
	int error;

	if (inputs_single(path, n)) {
		error = plot_read(&plotting->traces, path[0], &request->wanted, &of, err);
		plotting->status = !error && warn_of(&of.run);
		return error;
	}
	error = plot_read_all(&plotting->traces, &plotting->team, path, n, request->wanted.ranks,
			      &n_bad, err);
	if (error)
		return error;
	plotting->status = n_bad > 0;
	if (request->what == PLOT_LOSSES && (n_bad || plotting->traces.n < 2))
		return err_set(err, EINVAL, "--what losses compares all traces with the first; %s",
			       n_bad ? "not all can be read" : "there is only one");
	return plotting->traces.n ? 0 : err_set(err, EINVAL, "no trace to plot");
}

/* The run on the fewest workers, on other numbers of them. */
static int simulate(struct plotting *plotting, struct err *err)
{
	const struct plot_trace *lead = plot_traces_lead(&plotting->traces);
	AT_END(run_close) struct run run = { 0 };

	if (!lead)
		return 0;
	return run_open(&run, lead->name, &plotting->request->wanted.phases, err)
		       ?: speedup_simulate(&plotting->traces.curves.of[SPEEDUPS_SIMULATED], &run,
					   plotting->request->simulate, err);
}

static int take_several(struct plotting *plotting, char **path, int n, struct err *err)
{
	const struct request *request = plotting->request;
	int error = read_all(plotting, path, n, err);

	if (!error && request->predict)
		error = plot_predict(&plotting->traces, path, n, request->predict, err);
	if (!error && request->simulate)
		error = simulate(plotting, err);
	if (!error)
		plot_several(&plotting->picture, plotting->csv.file, request->what,
			     &plotting->traces);
	return error;
}

static bool is_of_ranks(const struct request *request, char **path, int n)
{
	return request->wanted.ranks && !inputs_single(path, n);
}

static int take_all(struct plotting *plotting, char **path, int n, struct err *err)
{
	const struct request *request = plotting->request;
	int error = request->csv ? output_file(&plotting->csv, request->csv, err) : 0;

	if (error)
		return error;
	return request->what < PLOT_OF_ONE && !is_of_ranks(request, path, n)
		       ? take_one(plotting, path[0], err)
		       : take_several(plotting, path, n, err);
}

/* Rank 0 alone looks whether it is a directory.  NULL: the call is right. */
static const char *wrong_with(const struct request *request, char **path, int n)
{
	if (request->what == PLOT_LOSSES && inputs_single(path, n))
		return "--what losses takes the baseline and other traces";
	if (is_of_ranks(request, path, n) &&
	    (request->arcs || selection_is_part(&request->wanted.phases)))
		return "--arcs and parts of the run are for timelines of one trace";
	return NULL;
}

/* Closes the team. */
static int plot(void *context, char **path, int n)
{
	struct plotting *plotting = context;
	const struct request *request = plotting->request;
	const char *wrong = wrong_with(request, path, n);
	struct err err = { 0 };
	int error;

	if (wrong) {
		if (team_close(&plotting->team, &err) < 0)
			return say_fail(&err);
		return say_usage("plot", "%s", wrong);
	}
	plotting->picture = (struct picture){ .width = request->width * PICTURE_MM,
					      .height = request->height * PICTURE_MM,
					      .font = request->font,
					      .font_size = request->font_size };
	error = take_all(plotting, path, n, &err) ?: team_close(&plotting->team, &err) ?:
		write_picture(request, &plotting->picture, &err);
	if (!error && request->csv)
		error = output_keep(&plotting->csv, &err);
	output_discard(&plotting->csv);
	picture_free(&plotting->picture);
	plot_traces_free(&plotting->traces);
	if (error)
		plotting->status = say_fail(&err);
	if (error && team_close(&plotting->team, &err) < 0)
		say_fail(&err);
	return plotting->status;
}

/* ---- the call ---- */

static void take_arcs(void *request, const char *value)
{
	((struct request *)request)->arcs = find_arcs(value);
}

static const struct command_option options[] = {
	{ "output", "FILE", .letter = 'o', INTO(TEXT, output),
	  .help = "write the picture to x.svg, x.pdf or x.png, or only its numbers to x.csv" },
	{ "what", PLOT_WORDS, INTO(WORD, what), .help = "what to draw (profile)" },
	{ "csv", "FILE", INTO(TEXT, csv), .help = "also write its numbers to FILE" },
	OPTIONS_TIMES("plot only the run", wanted.phases),
	OPTION_TO(wanted.phases),
	OPTIONS_PART("plot", wanted.phases),
	{ "arcs", "LIST", .is = is_arcs,
	  .takes = "some of steals, leaps, migrations, creates, joins, depends, with commas "
		   "between; or all",
	  .take = take_arcs, .help = "timelines: draw arcs from worker to worker: steals,leaps" },
	OPTION_WORKERS("simulate", simulate,
		       "speedup: add the run on the fewest workers, simulated on these numbers: "
		       "1,2,4,..,64"),
	OPTION_WORKERS(
		"predict", predict,
		"speedup: of traces of several sizes (record --param n=..), show the "
		"largest, and what `tptrace predict` says of it on these numbers of workers"),
	OPTION_SIZE("width", "MM", MM, width, "width of the picture (160)"),
	OPTION_SIZE("height", "MM", MM, height, "height of the picture (as much as it needs)"),
	{ "font", "FAMILY", INTO(TEXT, font),
	  .help = "font of all text, as fontconfig names it (sans-serif)" },
	OPTION_SIZE("font-size", "POINTS", POINTS, font_size, "size of all text (8)"),
	OPTION_SIZE("dpi", "N", DPI, dpi, "dots per inch of a png (300)"),
	OPTION_JOBS(n_at_once),
	VARIABLE_RANKS,
	{ 0 },
};

/* The most workers that a curve is asked for; at least 1. */
static uint32_t widest(const struct request *request)
{
	const char *of[] = { request->simulate, request->predict };
	uint32_t width[WIDTHS_MOST], n, most = 1;

	for (int i = 0; i < 2; i++) {
		n = 0;
		if (of[i])
			widths_read(of[i], width, &n);
		while (n--)
			most = width[n] > most ? width[n] : most;
	}
	return most;
}

/* 0, or the exit status of a call that is wrong. */
static int check(struct request *request, int n)
{
	const char *whole = request->simulate  ? "--simulate"
			    : request->predict ? "--predict"
					       : NULL;
	struct err err = { 0 };

	if (!request->output)
		return say_usage("plot", "name the picture with -o, like -o x.svg");
	if (!find_format(request))
		return say_usage("plot", "%s: the name must end in .svg, .pdf, .png or .csv",
				 request->output);
	if (request->format == ONLY_CSV && request->csv)
		return say_usage("plot", "-o %s has the numbers already; leave out --csv",
				 request->output);
	if (request->what < PLOT_OF_ONE && request->what != PLOT_TIMELINES && n > 1)
		return say_usage("plot", "--what %s takes one trace",
				 plot_what_name[request->what]);
	if (request->arcs && request->what != PLOT_TIMELINES)
		return say_usage("plot", "--arcs is for --what timelines");
	if (whole && request->what != PLOT_SPEEDUP)
		return say_usage("plot", "%s is for --what speedup", whole);
	if (whole && selection_is_part(&request->wanted.phases))
		return say_usage("plot",
				 "%s is of whole runs: leave out --from, --to, --phase and "
				 "--region",
				 whole);
	if (request->wanted.phases.from_ns >= request->wanted.phases.to_ns)
		return say_usage("plot", "--from must be before --to");
	if (request->format != ONLY_CSV && draw_open(&err) < 0)
		return say_usage("plot", "%s", err.text);
	if (request->format == ONLY_CSV)
		request->csv = request->output;
	request->wanted.ranks = request->what == PLOT_TIMELINES;
	if (request->what == PLOT_SPEEDUP)
		request->wanted.bounds = widest(request);
	return 0;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.width = 160,
		.font = "sans-serif",
		.font_size = 8,
		.dpi = 300,
		.wanted.phases = { .to_ns = UINT64_MAX },
	};
	struct call call;
	struct plotting plotting = { .request = &request };
	int status;

	if (!call_open(&call, &cmd_plot, argc, argv, &request))
		return call.status;
	status = check(&request, call.n);
	if (status)
		return status;
	if (!team_open(&plotting.team, argv, call.n > 0, request.n_at_once,
		       (struct team_work){ plot_piece, &request.wanted }, &status))
		return status;
	return say_finish(call_traces(&call, plot, &plotting));
}

const struct command cmd_plot = {
	.name = "plot",
	.run = run,
	.line = "draw a picture for a paper: svg, pdf or png",
	.arguments = "[OPTIONS] -o FILE [FILE...]",
	.about = "Draws one or several traces as a picture, with the colours of the page that\n"
		 "`tptrace view` writes. A FILE is a trace, or a trace as text; by default the "
		 "newest\n"
		 "*.tpt in the working directory. breakdown, states, losses and speedup take "
		 "several,\n"
		 "and directories of traces; timelines of several are of the ranks of a job.\n",
	.option = options,
	.ranks = RANKS_TOGETHER,
};

/* SPDX-License-Identifier: MIT */
/* cmd_simulate.c - tptrace simulate: how long on other numbers of workers, under other policies. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/team/inputs.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/simulated.h"
#include "tools/whatif/simulated_scaling.h"
#include "tools/base/values.h"
#include "tools/cmd/warn.h"
#include "tools/whatif/worker_list.h"

/* ---- numbers of workers ---- */

static bool is_one_number(const char *text)
{
	return text && value_is_number(text);
}

/* One, the recorded number, and doubled up to sixteen times that. */
static uint32_t usual_workers(const struct dag *dag, uint32_t *workers)
{
	uint32_t n = 0;

	if (dag->n_workers > 1)
		workers[n++] = 1;
	for (uint32_t times = 1; times <= 16; times *= 2)
		if ((uint64_t)dag->n_workers * times <= SIMULATE_WORKERS_MOST)
			workers[n++] = dag->n_workers * times;
	return n;
}

/* ---- options ---- */

#define POLICIES                                                                                   \
	"greedy, critical-path, work-first, help-first, held, shepherds, in-turn, libgomp, "       \
	"libomp or starpu"

static bool is_policy(const char *text)
{
	return policy_find(text) != NULL;
}

static void add_change(struct request *request, enum what_if what, const char *value)
{
	if (request->n_changes == CHANGES_MOST) {
		request->too_many = true;
		return;
	}
	request->change[request->n_changes].what = what;
	request->change[request->n_changes++].value = value;
}

#define TAKE(name, what)                                                                           \
	static void take_##name(void *request, const char *value)                                  \
	{                                                                                          \
		add_change(request, what, value);                                                  \
	}
TAKE(without_lock, IF_WITHOUT_LOCK)
TAKE(split, IF_SPLIT)
TAKE(merge, IF_MERGE)
TAKE(priority, IF_PRIORITY)
TAKE(longest_first, IF_LONGEST_FIRST)
TAKE(call, IF_CALL)
TAKE(speed, IF_SPEED)
TAKE(cost, IF_COST)
TAKE(untied, IF_UNTIED)
TAKE(no_throttle, IF_NO_THROTTLE)

static void take_policy(void *request, const char *value)
{
	((struct request *)request)->policy = policy_find(value);
}

static const struct command_option options[] = {
	{ "workers", "N,..", .letter = 'P', .is = widths_are,
	  .takes = "numbers of workers from 1 to 32768, like 1,2,4,..,64", INTO(TEXT, workers),
	  .help = "numbers of workers to simulate (1, and 1, 2, .., 16 times the recorded "
		  "number)" },
	{ "output", "FILE", .letter = 'o', INTO(TEXT, output),
	  .help = "write the simulated run, on one number of workers, as a trace to FILE, which "
		  "must not exist" },
	{ "policy", "POLICY", .is = is_policy, .takes = POLICIES, .take = take_policy,
	  .help = "how tasks are scheduled, see below (as by the recorded runtime)" },
	{ "steal", "random|nearest|last", INTO(TEXT, steal),
	  .help = "the victim an idle worker tries first: a random one, the nearest, or its last "
		  "one" },
	{ "times", "recorded|fitted", INTO(WORD, times),
	  .help = "use each strand's recorded time, or draw it from the distribution that best "
		  "fits its kind" },
	{ "runs", "N", .least = 1, .most = 10000, .takes = "a number from 1 to 10000",
	  INTO(NUMBER, wanted.n_runs),
	  .help = "simulate each number of workers N times (5), and print the median" },
	OPTION_NUMBER("seed", LONG, wanted.seed,
		      "seed of the first simulation (1); equal seeds give equal results"),
	OPTION_NUMBER("jobs", NUMBER, wanted.n_threads, "use N threads (one for each CPU)"),
	{ "whole", INTO(FLAG, whole), .help = "run each collapsed task on one worker" },
	{ "curve", "KIND", INTO(TEXT, curve),
	  .help = "print the exact span for each number of parts that strands of KIND are split "
		  "into, and where it bends" },
	{ "fewest-changes", INTO(FLAG, fewest),
	  .help = "print the smallest sets of kinds to split, or to call, that keep N workers (-P "
		  "N) busy" },
	{ "against", "FILE,..", INTO(TEXT, against),
	  .help = "check the simulation of plain runs against these runs of `tptrace record "
		  "--slow`: traces, or a directory of them; exit with status 1 if they disagree" },
	OPTION_JSON(json),
	{ "without-lock", "PLACE", .take = take_without_lock,
	  .help = "what if the locks waited for at PLACE were gone" },
	{ "split", "KIND:K", .is = what_if_is_split,
	  .takes = "a kind and a number from 2 on, like fib:4", .take = take_split,
	  .help = "what if each strand of KIND ran as K tasks" },
	{ "merge", "KIND:K", .is = what_if_is_split,
	  .takes = "a kind and a number from 2 on, like fib:4", .take = take_merge,
	  .help = "what if K tasks of KIND in a row were one" },
	{ "priority", "KIND", .take = take_priority,
	  .help = "what if ready tasks of KIND ran first" },
	{ "longest-first", "KIND", .take = take_longest_first,
	  .help = "what if a task created its longest tasks of KIND first" },
	{ "call", "KIND[=TIME]", .is = what_if_is_call,
	  .takes = "a kind, or a kind and a time, like fib=20us", .take = take_call,
	  .help = "what if tasks of KIND were called instead: all, or those with less work than "
		  "TIME below them" },
	{ "speed", "KIND=F", .is = what_if_is_speed, .takes = "a kind and a factor, like fib=1.5",
	  .take = take_speed, .help = "what if the code of KIND were F times as fast" },
	{ "cost", "COST[@PLACE]=TIME", .is = what_if_is_cost,
	  .takes = "create, begin, steal, wait, lock, fork, outside, inside or all, with a time or "
		   "a factor, like steal=2us or create=x0.5",
	  .take = take_cost,
	  .help = "what if a runtime cost (at PLACE, or everywhere) were TIME, or xF: F times as "
		  "recorded" },
	{ "untied", .take = take_untied, .help = "what if any worker could resume any task" },
	{ "no-throttle", .take = take_no_throttle, .help = "what if queues had no bounds" },
	VARIABLE_PAGER,
	{ 0 },
};

static void set_victim(struct policy *policy, const char *steal)
{
	if (!steal)
		return;
	policy->victim = strcmp(steal, "random") == 0	 ? VICTIM_RANDOM
			 : strcmp(steal, "nearest") == 0 ? VICTIM_NEAREST
							 : VICTIM_LAST;
}

/* ---- what is simulated ---- */

/* As --split and the like take them. */
static void name_kinds(struct forecast *forecast, const struct run *run)
{
	char name[256];

	if (!forecast->fitted)
		return;
	forecast->kind_name = xcalloc(run->dag.n_kinds + 1ull, sizeof(*forecast->kind_name));
	for (kind_id k = 0; k < run->dag.n_kinds; k++) {
		bool known = what_if_kind(run, k, name, sizeof(name));

		forecast->kind_name[k] = xstrdup(known ? name : "?");
	}
}

static void set_workers(struct request *request, struct forecast *forecast, const struct dag *dag)
{
	forecast->workers = xmalloc(WIDTHS_MOST * sizeof(*forecast->workers));
	if ((request->fewest || request->against) && !request->workers)
		forecast->workers[forecast->n_points++] = dag->n_workers;
	else if (request->workers)
		widths_read(request->workers, forecast->workers, &forecast->n_points);
	else
		forecast->n_points = usual_workers(dag, forecast->workers);
	request->wanted.workers = forecast->workers;
	request->wanted.n = forecast->n_points;
	forecast->n_runs = request->wanted.n_runs;
}

/* With --against: whether the experiment disagrees. */
struct sides {
	struct against_side plain, slowed;
	bool disagree;
};

static void put_forecast(FILE *out, const void *of)
{
	forecast_screen(out, of, simulated_width());
}

static int answer(const struct rows *rows, struct sides *sides, struct err *err)
{
	int error;

	if (rows->request->against)
		return simulated_against(rows, &sides->plain, &sides->slowed, &sides->disagree,
					 err);
	if (rows->request->curve)
		return simulated_curve(rows, err);
	if (rows->request->fewest)
		return simulated_fewest(rows, err);
	error = simulated_rows(rows, err);
	if (error)
		return error;
	if (rows->request->json)
		forecast_json(stdout, rows->forecast);
	else
		simulated_print(put_forecast, rows->forecast);
	return 0;
}

/* `more` are traces of other numbers of workers. */
static int simulate_file(struct request *request, struct sides *sides, const char *path,
			 char **more, int n_more)
{
	AT_END(run_close) struct run run = { 0 };
	AT_END(scaling_free) struct scaling scaling = { 0 };
	AT_END(forecast_free) struct forecast forecast = { 0 };
	struct err err = { 0 };
	struct rows rows = { .request = request, .run = &run, .forecast = &forecast };
	char slowed[SLOWED_TEXT];
	bool damaged;
	int error = run_open(&run, path, NULL, &err) ?: simulable(&run, &err);

	if (!error && n_more) {
		error = simulated_scaling(&scaling, &run, more, n_more, &err);
		forecast.scaling = &scaling;
	}
	if (error)
		return say_fail(&err);
	forecast.dag = &run.dag;
	forecast.fitted = request->times == TIMES_FITTED;
	forecast.runtime = simulable_runtime(&run);
	forecast.unlinked = defs_unlinked(reader_defs(run.reader));
	forecast.recorded_policy = policy_of_run(forecast.runtime, &run.dag);
	rows.policy = request->policy ? *request->policy : *forecast.recorded_policy;
	set_victim(&rows.policy, request->steal);
	forecast.own_policy = !request->policy && !request->steal;
	forecast.cpu_wait_ns = machine_wait_ns(&run.machine, &run.dag);
	set_workers(request, &forecast, &run.dag);
	name_kinds(&forecast, &run);
	if (answer(&rows, sides, &err) < 0)
		return say_fail(&err);
	damaged = warn_of(&run);
	if (slowed_text(reader_defs(run.reader), slowed)[0])
		say_print(stderr,
			  "tptrace: %s: slowed on purpose: %s; so are the times simulated here\n",
			  path, slowed);
	if (defs_meta(reader_defs(run.reader), "virtual"))
		say_print(stderr, "tptrace: %s: of virtual time; so are the times simulated here\n",
			  path);
	return damaged;
}

/* The runs of both sides; the plain ones' middle one is simulated. */
static int simulate_sides(struct request *request, char **argument, int n)
{
	struct sides sides = { 0 };
	struct err err = { 0 };
	int n_slowed, error, status = 1;
	FREED char **slowed = inputs_split(request->against, &n_slowed);

	error = against_open(&sides.slowed, slowed, n_slowed, true, &err)
			?: against_open(&sides.plain, argument, n, false, &err);
	if (error && err.text[0])
		say_fail(&err);
	if (!error)
		status = simulate_file(request, &sides, sides.plain.path[sides.plain.middle], NULL,
				       0);
	against_free(&sides.slowed);
	against_free(&sides.plain);
	return status ? status : sides.disagree;
}

/* What is wrong with the options together; NULL. */
static const char *wrong_with(const struct request *request, int n_files)
{
	bool several = request->curve || request->fewest;

	if (request->against &&
	    (request->workers || request->n_changes || several || request->output))
		return "--against compares runs on the recorded workers, with nothing changed but "
		       "what was slowed: leave out -P, --output, and what-if options";
	if (n_files > 1 && several)
		return "--curve and --fewest-changes take one trace";
	if (request->output && !is_one_number(request->workers))
		return "--output needs one number of workers; say -P N";
	if (request->output && several)
		return "--curve and --fewest-changes write no trace: leave out --output";
	if (request->curve && request->fewest)
		return "--curve and --fewest-changes exclude each other";
	if (request->fewest && request->workers && !is_one_number(request->workers))
		return "--fewest-changes needs one number of workers; say -P N";
	return NULL;
}

static int simulate_named(void *context, char **path, int n)
{
	struct request *request = context;
	struct sides none = { 0 };

	return request->against ? simulate_sides(request, path, n)
				: simulate_file(request, &none, path[0], path + 1, n - 1);
}

static int run(int argc, char **argv)
{
	struct request request = { .wanted = { .n_runs = 5, .seed = 1 } };
	struct call call;
	const char *wrong;

	if (!call_open(&call, &cmd_simulate, argc, argv, &request))
		return call.status;
	wrong = wrong_with(&request, call.n);
	if (wrong)
		return say_usage("simulate", "%s", wrong);
	request.whole |= request.output != NULL;
	if (request.too_many)
		return say_usage("simulate", "more than %u changes", CHANGES_MOST);
	return say_finish(call_traces(&call, simulate_named, &request));
}

const struct command cmd_simulate = {
	.name = "simulate",
	.run = run,
	.line = "estimate its time with more or fewer workers, or after a change",
	.arguments = "[OPTIONS] [FILE..]",
	.about =
		"Simulates the task graph of a recorded run on other numbers of workers and under\n"
		"other policies, with the costs of the runtime that the trace shows. With changes\n"
		"(what if ..), it also prints what each would gain, alone and together. FILE is a\n"
		"trace, by default the newest *.tpt in the working directory. More traces, with\n"
		"other worker counts, let it model how code slows down as workers are added.\n",
	.more = "Policies:\n"
		"  greedy         one queue, the oldest first; any task goes on anywhere\n"
		"  critical-path  one queue, the longest way to the end first\n"
		"  work-first     deques; the rest of the parent is stolen (MassiveThreads, Cilk "
		"Plus)\n"
		"  help-first     deques; children are stolen, waiting tasks stay on their worker "
		"(oneTBB)\n"
		"  held           help-first, but children begin once their parent waits\n"
		"  shepherds      deques; children are stolen, waiting tasks go on anywhere "
		"(Qthreads)\n"
		"  in-turn        one queue per worker; each gets new tasks in turn, nobody steals "
		"(Qthreads)\n"
		"  libgomp        one queue, throttled; a taskwait takes up children alone\n"
		"  libomp         bounded deques; a taskwait takes up tasks below it alone\n"
		"  starpu         one queue; the main task has a worker to itself\n",
	.option = options,
	.paged = true,
};

/* SPDX-License-Identifier: MIT */
/*
 * cmd_record.c - tptrace record: runs a program with the shims preloaded.
 *
 * It sets the environment and starts the program with a collector beside it (launch.h); with
 * --inside, or if that cannot be had, it becomes the program, which then collects by itself.  What
 * cannot be recorded is refused before, with a sentence.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "preload/probes/counters/counters.h"
#include "tools/sample/sampler.h"
#include "collector/session/asked.h"
#include "collector/session/environment.h"
#include "collector/session/hello.h"
#include "collector/session/launched.h"
#include "preload/probes/counters/papi.h"
#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/launch/earlier.h"
#include "tools/team/installed.h"
#include "tools/launch/launch.h"
#include "tools/launch/one_worker.h"
#include "tools/whatif/params.h"
#include "tools/launch/repeat.h"
#include "tools/launch/shims.h"
#include "tools/whatif/slow_kinds.h"
#include "tools/launch/target.h"
#include "tools/base/values.h"
#include "tools/whatif/virtual_model.h"

#define EXIT_CANNOT_RECORD 125 /* as env(1) and timeout(1) have them */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

#define PARAM_VARIABLE "TPTRACE_PARAM"
#define CALLPATHS_VARIABLE "TPTRACE_CALLPATHS"

static int refuse(int status, const char *program, const char *why)
{
	say_print(stderr, "tptrace: %s: %s\n", program, why);
	return status;
}

/* The exit status when execvp() has failed. */
static int not_started(const char *program)
{
	return refuse(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, program,
		      strerror(errno));
}

/* This process becomes the program; a record around it is still to hear of its tasks. */
static void set_launched(void)
{
	const char *before = getenv(LAUNCHED_VARIABLE), *path = before ? strchr(before, ' ') : NULL;
	char *value;

	if (asprintf(&value, "%d%s", (int)getpid(), path ? path : "") < 0)
		return;
	setenv(LAUNCHED_VARIABLE, value, 1);
	free(value);
}

/* All processes of this run are of one job, unless they are of a larger one. */
static void name_job(void)
{
	struct utsname host = { .nodename = "" };
	struct timespec now = { 0 };
	char name[128];

	uname(&host);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "%.60s.%d.%lld", host.nodename, (int)getpid(),
		 (long long)now.tv_sec);
	setenv("TPTRACE_JOB", name, 0);
}

/* "NAME/" is a directory.  If it cannot be made, who would write into it says so. */
static void make_folder(const char *output)
{
	size_t n = output ? strlen(output) : 0;

	if (n && output[n - 1] == '/' && mkdir(output, 0777) < 0)
		errno = 0;
}

/* What is to be run, and how. */
struct asked {
	const char *directory; /* of the shims */
	char **command;
	bool inside;
	bool force; /* an earlier trace of that name goes */
};

static bool wants_samples(void)
{
	const char *text = getenv(SAMPLER_VARIABLE);
	struct sampler_asked asked;

	return text && sampler_ask(text, &asked) && asked.hz;
}

/* The program's part of --sample=timer. */
static bool set_timer(void)
{
	struct sampler_asked asked;
	char ns[32];

	unsetenv(TIMER_VARIABLE);
	if (!sampler_ask(getenv(SAMPLER_VARIABLE), &asked) || !asked.by_timer)
		return true;
	snprintf(ns, sizeof(ns), "%llu", (unsigned long long)sampler_timer_ns(&asked));
	return setenv(TIMER_VARIABLE, ns, 1) == 0;
}

static int run(const struct asked *asked)
{
	const char *directory = asked->directory;
	char **command = asked->command;
	char path[PATH_MAX];
	const char *why;
	int status;

	if (strpbrk(directory, ":;"))
		return refuse(EXIT_CANNOT_RECORD, directory,
			      "its path has a colon or a semicolon, where the loader ends a name; "
			      "install tptrace elsewhere");
	if (!target_find(command[0], path, sizeof(path)))
		return refuse(EXIT_NOT_FOUND, command[0], "no such program");
	why = target_why_not(path);
	if (why)
		return refuse(EXIT_CANNOT_RECORD, command[0], why);
	why = shims_why_not();
	if (why) {
		refuse(0, command[0], why);
		execvp(command[0], command);
		return not_started(command[0]);
	}
	if (!set_timer() || !shims_preload(directory, path))
		return refuse(EXIT_CANNOT_RECORD, command[0], strerror(errno));
	if (!options_disabled()) {
		make_folder(getenv("TPTRACE_OUTPUT"));
		why = earlier_make_way(getenv("TPTRACE_OUTPUT"), asked->force);
	}
	if (why)
		return refuse(EXIT_CANNOT_RECORD, getenv("TPTRACE_OUTPUT"), why);
	setenv("TPTRACE_VERBOSE", "1", 0);
	name_job();
	if (!asked->inside) {
		status = launch(command, not_started);
		if (status >= 0)
			return status;
		if (wants_samples())
			refuse(0, command[0],
			       "no samples of stacks: it collects by itself, as no collector can "
			       "be started");
	}
	setenv(HELLO_VARIABLE, HELLO_INSIDE, 1);
	set_launched();
	launch_fix_output();
	one_worker_pin();
	execvp(command[0], command);
	return not_started(command[0]);
}

/* ---- several runs ---- */

struct series {
	const struct asked *asked;
	bool is_pair; /* the second is the baseline */
	struct series_names names;
};

static int run_once(void *context, unsigned i)
{
	const struct series *series = context;
	char output[SERIES_PATH];

	unsetenv("TPTRACE_JOB"); /* each run is one of its own */
	if (series->is_pair && i == 2 && one_worker_set() < 0)
		return refuse(EXIT_CANNOT_RECORD, series->asked->command[0], strerror(errno));
	if (!options_disabled() &&
	    setenv("TPTRACE_OUTPUT", series_output(output, &series->names, i), 1) < 0)
		return refuse(EXIT_CANNOT_RECORD, series->asked->command[0], strerror(errno));
	return run(series->asked);
}

static int run_all(const struct asked *asked, unsigned n, bool is_pair)
{
	struct series series = { .asked = asked, .is_pair = is_pair };
	struct err err;

	if (options_disabled())
		return repeat(n, run_once, &series);
	if (series_open(&series.names, getenv("TPTRACE_OUTPUT"), asked->command[0], n, &err) < 0) {
		say_fail(&err);
		return EXIT_CANNOT_RECORD;
	}
	if (series.names.folder[0] && !options_quiet())
		say_print(stderr, "tptrace: %u runs%s; their traces go to %s\n", n,
			  is_pair ? ", the second with one worker" : "", series.names.folder);
	return repeat(n, run_once, &series);
}

static bool wants_inside(void)
{
	const char *collector = getenv(HELLO_VARIABLE);

	return collector && strcmp(collector, HELLO_INSIDE) == 0;
}

/* What the recorder reads from the variables (session/environment.h) is checked here, too. */
#define CHECKS(what)                                                                               \
	static bool is_##what(const char *text)                                                    \
	{                                                                                          \
		uint64_t value;                                                                    \
                                                                                                   \
		return options_##what(text, &value);                                               \
	}
CHECKS(ring_bytes)
CHECKS(max_bytes)
CHECKS(collector_threads)
CHECKS(signal)
CHECKS(collapse)

static bool is_sample(const char *text)
{
	struct sampler_asked asked;

	return sampler_ask(text, &asked);
}

/* What the options say that set no variable. */
struct request {
	bool force, print, is_list, baseline;
	uint32_t n_runs;
	char *params;
	struct slowing slowing;
	struct virtual_asked virtual;
};

/* Several --param are one list, without a key that is there twice; the variable has the last. */
static void take_param(void *context, const char *one)
{
	struct request *request = context;
	char *more;

	request->is_list = asprintf(&more, "%s%s%s", request->params ? request->params : "",
				    request->params ? "," : "", one) >= 0;
	if (!request->is_list)
		return;
	free(request->params);
	request->params = more;
	request->is_list = params_are(more) && setenv(PARAM_VARIABLE, more, 1) == 0;
}

static void take_slow(void *context, const char *kind)
{
	struct slowing *slowing = &((struct request *)context)->slowing;

	if (slowing->n++ < SLOW_KINDS_MOST)
		slowing->kind[slowing->n - 1] = kind;
}

static const struct command_option options[] = {
	{ "output", "FILE", .letter = 'o', .variable = "TPTRACE_OUTPUT", .is = value_is_output,
	  .takes = "a name whose percent signs are %e, %p, %h, %j, %r, %t or %%",
	  .help = "write to FILE, or into it if it is a directory (NAME/ is made); %e program, %p "
		  "pid, %h host, %j job, %r rank, %t time, %% percent sign" },
	{ "force", INTO(FLAG, force),
	  .help = "replace FILE if it is a trace; by default the new trace is FILE.1" },
	{ "repeat", "N", .least = 1, .most = 9999, .takes = "a number from 1 to 9999",
	  INTO(NUMBER, n_runs),
	  .help = "run COMMAND N times, with a trace each, for `tptrace diff`: numbered, in the "
		  "directory FILE, or in a new one" },
	{ "baseline", INTO(FLAG, baseline),
	  .help = "run COMMAND twice, the second time with one worker, for `tptrace report` of "
		  "both: how much workers slow each other" },
	{ "quiet", .letter = 'q', .variable = "TPTRACE_VERBOSE", .set = "0",
	  .help = "print nothing at the end unless events were lost" },
	{ "buffer", "BYTES", .variable = "TPTRACE_BUFFER", .is = is_ring_bytes,
	  .takes = "a size like 64K, 1M", .help = "largest size of a worker's ring (1M)" },
	{ "fork", "follow|ignore", .variable = "TPTRACE_FORK",
	  .help = "give a forked child a trace of its own (follow), or none" },
	{ "overflow", "flush|drop", .variable = "TPTRACE_OVERFLOW",
	  .help = "when a ring is full, wait and count the time (flush), or drop events and count "
		  "them" },
	{ "collapse", "off|TIME", .variable = "TPTRACE_COLLAPSE", .is = is_collapse,
	  .takes = "off, or a time like 100us",
	  .help = "fold a tree of tasks that ran on one worker into one record, unless a strand is "
		  "longer than TIME (100us)" },
	{ "callpaths", .variable = CALLPATHS_VARIABLE, .set = "on",
	  .help = "record the call stack that creates each task, once for each context (with "
		  "libunwind); nothing is collapsed then" },
	{ "counters", "NAME,..", .variable = "TPTRACE_COUNTERS",
	  .help = "count page-faults, minor-faults, major-faults, context-switches, "
		  "voluntary-switches, involuntary-switches, cpu-time, or events of PAPI, for each "
		  "strand; nothing is collapsed then" },
	{ "calls", .variable = "TPTRACE_CALLS", .set = "on",
	  .help = "count calls of the allocator (malloc, free and their like) and of rand, random, "
		  "drand48 and lrand48, for each strand; nothing is collapsed then" },
	{ "sample", "off|HZ|timer", .bare = "", .variable = SAMPLER_VARIABLE, .is = is_sample,
	  .takes = "off, timer, or a number of samples a second from 1 to 10000, alone or behind "
		   "`timer,`",
	  .help = "take HZ samples of each worker's stack for each second of CPU time (by "
		  "default those that take 0.4 % of it), where the system permits it; timer, or "
		  "timer,HZ: anywhere, by a signal handler in the program" },
	{ "start", "on|off", .variable = "TPTRACE_START",
	  .help = "off: record nothing until `tptrace start PID`, a signal, or tptrace_start() of "
		  "<tptrace.h>" },
	{ "toggle-signal", "SIGNAL", .variable = "TPTRACE_TOGGLE_SIGNAL", .is = is_signal,
	  .takes = "a signal like USR2", .help = "stop and start at this signal (USR2, ..)" },
	{ "snapshot-signal", "SIGNAL", .variable = "TPTRACE_SNAPSHOT_SIGNAL", .is = is_signal,
	  .takes = "a signal like USR1",
	  .help = "write a snapshot to a second file at this signal" },
	{ "max-size", "SIZE", .variable = "TPTRACE_MAX_SIZE", .is = is_max_bytes,
	  .takes = "a size like 64M, at least 256K",
	  .help = "maximum trace size (64M, 2G); recording stops when it is reached, unless "
		  "--keep=last" },
	{ "keep", "first|last", .variable = "TPTRACE_KEEP",
	  .help = "last: keep only the newest events (64M), in memory, and write them at exit and "
		  "at `tptrace snapshot PID`" },
	{ "clock", "tsc|monotonic", .variable = "TPTRACE_CLOCK",
	  .help = "take time stamps from the processor's counter or from the kernel (default: the "
		  "counter, if it can be trusted)" },
	{ "inside", .variable = HELLO_VARIABLE, .set = HELLO_INSIDE,
	  .help = "collect in a thread of the program, not in a second process" },
	{ "collector-threads", "N", .variable = "TPTRACE_COLLECTOR_THREADS",
	  .is = is_collector_threads, .takes = "a number of threads from 1 to 64",
	  .help = "collect events with N threads (one for every 16 workers, at most one per CPU)" },
	{ "no-pthread", .variable = SHIMS_PTHREAD, .set = SHIMS_PTHREAD_OFF,
	  .help = "do not record waits for thread locks (pthread, std::mutex)" },
	{ "no-names", .variable = "TPTRACE_NAMES", .set = "off",
	  .help = "do not store the names of functions, files and lines in the trace" },
	{ "annotations", .variable = ANNOTATIONS_VARIABLE, .set = "on",
	  .help = "take names of tasks and regions from the program's ITT and NVTX annotations" },
	{ "param", "KEY=VALUE,..", .variable = PARAM_VARIABLE, .is = params_are, .take = take_param,
	  .takes = "parameters like n=1000,block=32, each once, n and p numbers above 0",
	  .help = "describe the input for `tptrace predict`, like n=1000; may be given several "
		  "times" },
	{ "slow", "KIND=F", .is = slow_kinds_is, .take = take_slow,
	  .takes = "a kind and a factor from 1.001 to 1000, like fib=1.2",
	  .help = "make the tasks of KIND take F times as long, to check a prediction of `tptrace "
		  "simulate`; may be given several times; nothing is collapsed then" },
	{ "slow-of", "FILE", INTO(TEXT, slowing.of),
	  .help = "find KIND of --slow in that trace of the same program (the newest *.tpt in the "
		  "working directory)" },
	{ "virtual", "FILE", INTO(TEXT, virtual.model),
	  .help = "run no task's code: the real runtime schedules tasks that take, in virtual "
		  "time, as long as those of the trace FILE" },
	{ "workers", "N", .letter = 'P', .least = 1, .most = VIRTUAL_WORKERS_MOST,
	  INTO(TEXT, virtual.workers), .takes = "a number from 1 to 4000",
	  .help = "with --virtual: the number of workers, which may exceed that of cores" },
	{ "virtual-seed", "N", .most = UINT32_MAX, INTO(TEXT, virtual.seed),
	  .takes = "a number from 0 to 4294967295",
	  .help = "with --virtual: seed of the times that are drawn (1)" },
	{ "virtual-costs", "F", .is = virtual_costs_is, INTO(TEXT, virtual.costs),
	  .takes = "a factor from 0 to 1000",
	  .help = "with --virtual: multiply the runtime's costs in FILE by F (1); 0: none" },
	{ "print-shim", "[RUNTIME..]", INTO(FLAG, print),
	  .help = "print the paths of all shims, or of these (omp, tbb, qth, mth, mthdl, starpu, "
		  "cilk, abt, task, mpi, device, pthread), for LD_PRELOAD, and exit" },
	{ NULL, "1", .variable = "TPTRACE_DISABLE", .help = "record nothing" },
	{ NULL, "LIST", .variable = "TPTRACE_SLOW",
	  .help = "code that --slow slows; record writes it" },
	{ NULL, "1", .variable = ONE_WORKER_VARIABLE,
	  .help = "this is the second run of --baseline; record sets it" },
	{ NULL, "FILE", .variable = "TPTRACE_VIRTUAL",
	  .help = "times of --virtual; record writes it" },
	{ NULL, "NS", .variable = TIMER_VARIABLE,
	  .help = "period of --sample=timer; record writes it" },
	{ NULL, "NAME", .variable = "TPTRACE_JOB",
	  .help = "the traces of all processes with this name are of one run (default: those below "
		  "one record)" },
	{ NULL, "off", .variable = "TPTRACE_CONTROL",
	  .help = "open no socket for `tptrace start` and the like" },
	{ 0 },
};

/* The list for the program: what is missing is told of here, and not again. */
static bool mark_missing(const char *list, const struct counters *counters)
{
	FREED char *marked = NULL;
	size_t size;
	FILE *out = open_memstream(&marked, &size);

	for (; out && *list; list += strcspn(list, ",")) {
		size_t bytes = strcspn(list += *list == ',', ",");

		fprintf(out, "%s%s%.*s", ftell(out) ? "," : "",
			*list == '!' || counters_has(counters, list, bytes) ? "" : "!", (int)bytes,
			list);
	}
	return out && fclose(out) == 0 && setenv(COUNTERS_VARIABLE, marked, 1) == 0;
}

/* Of the counters that are asked for: which cannot be had, and that nothing is collapsed.  False,
 * and the exit status, if one of them is unknown. */
static bool check_counters(int *status)
{
	const char *list = getenv(COUNTERS_VARIABLE);
	bool quiet = options_quiet();
	struct counters counters;
	char text[1024];

	if (!list || !*list)
		return true;
	if (counters_find(&counters, list, text, sizeof(text)) < 0) {
		*status = say_usage("record", "%s", text);
		return false;
	}
	if (getenv(SLOW_VARIABLE) && counters.n == COUNTERS_MOST) {
		*status = say_usage("record", "--slow counts, too: name at most %u counters",
				    COUNTERS_MOST - 1);
		return false;
	}
	if (!quiet && counters.n_missing)
		say_print(stderr, "tptrace: not counted: %s; there are: %s\n", counters.missing,
			  counters_names(text, sizeof(text)));
	papi_close(); /* its descriptors are not for the program */
	if (!quiet && counters.n)
		say_print(stderr,
			  "tptrace: counting: no tasks are collapsed, so the trace grows with "
			  "every task\n");
	return mark_missing(list, &counters);
}

static int record(int argc, char **argv)
{
	const char *inherited = getenv(PARAM_VARIABLE);
	struct request request = { .is_list = !inherited || !*inherited || params_are(inherited) };
	struct call call;
	char directory[PATH_MAX];
	bool found = installed_directory(SHIMS_FIRST, directory, sizeof(directory));
	struct asked asked = { .directory = directory };
	bool over = !call_open(&call, &cmd_record, argc, argv, &request);
	int status;

	free(request.params);
	if (over)
		return call.status;
	if (!request.is_list)
		return say_usage(
			"record",
			"invalid parameters `%s`: say n=1000,block=32, each once, n and p numbers",
			getenv(PARAM_VARIABLE) ? getenv(PARAM_VARIABLE) : "");
	if (!found && (request.print || call.n))
		return refuse(request.print ? 1 : EXIT_CANNOT_RECORD, SHIMS_FIRST,
			      "not found, neither beside tptrace nor in ../lib/tptrace");
	if (request.print)
		return shims_print(directory, call.argument, call.n);
	if (!call.n)
		return say_usage("record", "missing COMMAND");
	if (request.baseline && (request.n_runs || request.virtual.model))
		return say_usage("record", "--baseline makes two runs of real tasks: leave out "
					   "--repeat and --virtual");
	if (wants_samples() && (wants_inside() || request.virtual.model))
		return say_usage("record", "samples of stacks are taken from outside, of code that "
					   "runs: leave out --sample, or --inside and --virtual");
	status = slowing_set(&request.slowing);
	if (status)
		return status;
	if (!check_counters(&status))
		return status;
	status = virtual_set(&request.virtual);
	if (status)
		return status;
	asked.command = call.argument;
	asked.force = request.force;
	asked.inside = wants_inside();
	status = request.baseline ? run_all(&asked, 2, true)
		 : request.n_runs ? run_all(&asked, request.n_runs, false)
				  : run(&asked);
	virtual_clear(&request.virtual);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.run = record,
	.line = "run a program and record its tasks",
	.arguments = "[OPTIONS] [--] COMMAND [ARGUMENTS]",
	.about = "Runs COMMAND and records its tasks to tptrace.COMMAND.PID.tpt in the working\n"
		 "directory; `tptrace report` reads it. COMMAND must be linked to its runtime\n"
		 "dynamically, and must not become another user by setuid. Runtimes: libgomp, "
		 "libomp,\n"
		 "oneTBB, Qthreads, MassiveThreads, Argobots, StarPU, Cilk Plus.\n",
	.option = options,
	.more = "record forwards signals to COMMAND and exits with its status. It waits for "
		"processes\n"
		"with tasks that COMMAND leaves behind; Ctrl-C ends that wait.\n"
		"\n"
		"By hand: LD_PRELOAD=$(tptrace record --print-shim omp) COMMAND.\n",
	.ranks = RANKS_EACH,
};

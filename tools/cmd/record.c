/* SPDX-License-Identifier: MIT */
/*
 * record.c - tptrace record: runs a program with the shims preloaded.
 *
 * It sets the environment and starts the program with a collector beside it (launch.h); with
 * --inside, or if that cannot be had, it becomes the program, which then collects by itself.  What
 * cannot be recorded is refused before, with a sentence.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/options.h"
#include "collector/hello.h"
#include "collector/launched.h"
#include "tools/cmd/cmd.h"
#include "tools/cmd/launch.h"
#include "tools/cmd/target.h"

#define EXIT_CANNOT_RECORD 125 /* as env(1) and timeout(1) have them */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static const char usage[] =
	"usage: tptrace record [OPTIONS] [--] COMMAND [ARGUMENTS]\n\n"
	"Runs COMMAND and records its tasks to tptrace.COMMAND.PID.tpt here; then read it\n"
	"with tptrace-report. Programs must be linked to their runtime dynamically, and not\n"
	"become another user by setuid. Known runtimes: libgomp, libomp, oneTBB, Qthreads,\n"
	"MassiveThreads, StarPU, Cilk Plus.\n\n"
	"  -o, --output FILE   write to FILE, or into it if it is a directory; %e program,\n"
	"                      %p pid, %h host, %r rank, %t time, %% percent sign\n"
	"  -q, --quiet         say nothing at the end\n"
	"      --buffer BYTES  largest size of a worker's ring (1M)\n"
	"      --fork follow|ignore   a forked child has a trace of its own, or none\n"
	"      --overflow flush|drop  when a ring is full, wait (and count the time), or\n"
	"                      drop events (and count them)\n"
	"      --collapse off|TIME  trees of tasks that ran whole on one worker become one,\n"
	"                      but for strands longer than TIME (100us)\n"
	"      --start on|off  off: record nothing until `tptrace start PID`, a signal, or\n"
	"                      tptrace_start() of <tptrace.h>\n"
	"      --toggle-signal SIGNAL    stop and start by this signal (USR2, ..)\n"
	"      --snapshot-signal SIGNAL  write what there is to a second file at this signal\n"
	"      --max-size SIZE  of the trace: 64M, 2G; then recording stops, or ..\n"
	"      --keep first|last  last: .. the newest events are kept, in memory, and written\n"
	"                      at the end and by `tptrace snapshot PID` (64M)\n"
	"      --clock tsc|monotonic  take time stamps from the processor's counter, or from\n"
	"                      the kernel (the better one that can be trusted)\n"
	"      --inside        collect in the program itself, by a thread, not beside it\n"
	"      --print-shim [RUNTIME..]   print the paths of the shims, or of these (omp, tbb,\n"
	"                      qth, mth, mthdl, starpu, cilk), for LD_PRELOAD, and stop\n\n"
	"COMMAND's status is that of record, and signals go on to it. Processes that it leaves\n"
	"behind are still collected.\n\n"
	"By hand: LD_PRELOAD=$(tptrace record --print-shim omp) COMMAND. The environment\n"
	"variables TPTRACE_OUTPUT, TPTRACE_BUFFER, TPTRACE_FORK, TPTRACE_OVERFLOW,\n"
	"TPTRACE_COLLAPSE, TPTRACE_START, TPTRACE_TOGGLE_SIGNAL, TPTRACE_SNAPSHOT_SIGNAL,\n"
	"TPTRACE_MAX_SIZE, TPTRACE_KEEP, TPTRACE_CLOCK, TPTRACE_VERBOSE=0|1 and\n"
	"TPTRACE_COLLECTOR=inside do what the options do; TPTRACE_DISABLE=1 records nothing,\n"
	"and TPTRACE_CONTROL=off makes no socket for `tptrace start` and the like.\n";

/* One a runtime; the first is always there, the others may be packaged apart. */
static const char *const shims[] = {
	"libtpshim_omp.so", "libtpshim_tbb.so",	   "libtpshim_qth.so",
	"libtpshim_mth.so", "libtpshim_starpu.so", "libtpshim_cilk.so"
};
#define N_SHIMS (sizeof(shims) / sizeof(shims[0]))
/* It stands in for pthread_create() and all that: only where MassiveThreads does, too. */
static const char mthdl[] = "libtpshim_mthdl.so";

static int refuse(int status, const char *program, const char *why)
{
	cmd_print(stderr, "tptrace: %s: %s\n", program, why);
	return status;
}

/* Where the shims are: beside this program, or in ../lib/tptrace from it (scripts/install.mk). */
static bool shim_directory(char *out, size_t room)
{
	static const char *const tail[] = { "", "/../lib/tptrace" };
	char self[PATH_MAX], path[PATH_MAX + 64];
	const char *called = (const char *)getauxval(AT_EXECFN);
	char *slash;

	/* without /proc: as the kernel was told to run it */
	if (!realpath("/proc/self/exe", self) && (!called || !realpath(called, self)))
		return false;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", self, tail[i], shims[0]);
		if (access(path, R_OK) == 0) {
			snprintf(path, sizeof(path), "%s%s", self, tail[i]);
			return realpath(path, self) && snprintf(out, room, "%s", self) < (int)room;
		}
	}
	return false;
}

/* The shim's file; false if it is not there. */
static bool shim_file(const char *directory, const char *shim, char *out, size_t room)
{
	return snprintf(out, room, "%s/%s", directory, shim) < (int)room && access(out, R_OK) == 0;
}

/* The loader looks there first; there is nothing but ours. */
static bool set_library_path(const char *directory)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *value;
	bool set;

	if (asprintf(&value, "%s%s%s", directory, before ? ":" : "", before ? before : "") < 0)
		return false;
	set = setenv("LD_LIBRARY_PATH", value, 1) == 0;
	free(value);
	return set;
}

/*
 * Puts the shims in front of what is preloaded already.  A space ends a name in LD_PRELOAD: from a
 * directory with one in its path they are found by their bare names.
 */
static bool set_preload(const char *directory)
{
	const char *before = getenv("LD_PRELOAD");
	bool bare = strchr(directory, ' ') != NULL;
	size_t room = (strlen(directory) + 64) * (N_SHIMS + 1) + (before ? strlen(before) : 0) + 2;
	char *value = malloc(room), path[PATH_MAX + 64];
	size_t n = 0;
	bool set;

	if (!value || (bare && !set_library_path(directory))) {
		free(value);
		return false;
	}
	for (size_t i = 0; i < N_SHIMS; i++)
		if (shim_file(directory, shims[i], path, sizeof(path)))
			n += (size_t)snprintf(value + n, room - n, "%s%s", n ? ":" : "",
					      bare ? shims[i] : path);
	if (before && strstr(before, "libmyth-dl") &&
	    shim_file(directory, mthdl, path, sizeof(path)))
		n += (size_t)snprintf(value + n, room - n, "%s%s", n ? ":" : "",
				      bare ? mthdl : path);
	if (before && *before)
		snprintf(value + n, room - n, ":%s", before);
	set = setenv("LD_PRELOAD", value, 1) == 0;
	free(value);
	return set;
}

/*
 * ASan looks whether it is the first library, as it might take other calls for libc's; ours hand on
 * all that they take.  For children too, so that a script may run such programs.
 */
static bool let_asan_in(void)
{
	const char *before = getenv("ASAN_OPTIONS");
	char *value;
	bool set;

	if (asprintf(&value, "verify_asan_link_order=0%s%s", before && *before ? ":" : "",
		     before ? before : "") < 0)
		return false;
	set = setenv("ASAN_OPTIONS", value, 1) == 0;
	free(value);
	return set;
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

static int run(const char *directory, char **command, bool inside)
{
	char path[PATH_MAX];
	const char *why;
	int status;

	if (strpbrk(directory, ":;"))
		return refuse(EXIT_CANNOT_RECORD, directory,
			      "holds a colon or a semicolon, which the loader takes for the end "
			      "of a name; install tptrace elsewhere");
	if (!target_find(command[0], path, sizeof(path)))
		return refuse(EXIT_NOT_FOUND, command[0], "there is no such program");
	why = target_why_not(path);
	if (why)
		return refuse(EXIT_CANNOT_RECORD, command[0], why);
	if (!set_preload(directory) || !let_asan_in())
		return refuse(EXIT_CANNOT_RECORD, command[0], strerror(errno));
	setenv("TPTRACE_VERBOSE", "1", 0);
	if (!inside) {
		status = launch(command, not_started);
		if (status >= 0)
			return status;
	}
	setenv(HELLO_VARIABLE, HELLO_INSIDE, 1);
	set_launched();
	execvp(command[0], command);
	return not_started(command[0]);
}

/* Prints the paths of those that are named, or of all. */
static int print_shims(const char *directory, char **name, int n)
{
	char path[PATH_MAX + 64], file[64];

	for (size_t i = 0; n == 0 && i < N_SHIMS; i++)
		if (shim_file(directory, shims[i], path, sizeof(path)))
			puts(path);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "libtpshim_%s.so", name[i]);
		if (strchr(name[i], '/') || !shim_file(directory, file, path, sizeof(path)))
			return refuse(1, name[i], "there is no shim of that name; `tptrace record "
						  "--print-shim` prints all but libtpshim_mthdl.so");
		puts(path);
	}
	return cmd_finish(0);
}

static bool wants_inside(void)
{
	const char *collector = getenv(HELLO_VARIABLE);

	return collector && strcmp(collector, HELLO_INSIDE) == 0;
}

static bool is_ring_bytes(const char *text)
{
	uint64_t bytes;

	return options_bytes(text, &bytes) && bytes > 0;
}

static bool is_max_bytes(const char *text)
{
	uint64_t bytes;

	return options_bytes(text, &bytes) && bytes >= OPTIONS_MAX_BYTES_LEAST;
}

static bool is_signal(const char *text)
{
	return options_signal(text) != 0;
}

static bool is_overflow(const char *text)
{
	return strcmp(text, "flush") == 0 || strcmp(text, "drop") == 0;
}

static bool is_start(const char *text)
{
	return strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
}

static bool is_fork(const char *text)
{
	return strcmp(text, "follow") == 0 || strcmp(text, "ignore") == 0;
}

static bool is_collapse(const char *text)
{
	uint64_t ns;

	return options_collapse(text, &ns);
}

static bool is_keep(const char *text)
{
	return strcmp(text, "first") == 0 || strcmp(text, "last") == 0;
}

static bool is_clock(const char *text)
{
	enum clock_wish wish;

	return options_clock(text, &wish);
}

/* Sets the variable that an option stands for; false, and told, if its value is none. */
static bool set_asked(int option, const char *value)
{
	static const struct {
		int option;
		const char *name, *variable, *takes;
		bool (*is)(const char *);
	} asked[] = {
		{ 'b', "--buffer", "TPTRACE_BUFFER", "a size like 64K, 1M", is_ring_bytes },
		{ 'O', "--overflow", "TPTRACE_OVERFLOW", "flush or drop", is_overflow },
		{ 'F', "--fork", "TPTRACE_FORK", "follow or ignore", is_fork },
		{ 'c', "--collapse", "TPTRACE_COLLAPSE", "off, or a time like 100us", is_collapse },
		{ 'S', "--start", "TPTRACE_START", "on or off", is_start },
		{ 't', "--toggle-signal", "TPTRACE_TOGGLE_SIGNAL", "a signal like USR2",
		  is_signal },
		{ 's', "--snapshot-signal", "TPTRACE_SNAPSHOT_SIGNAL", "a signal like USR1",
		  is_signal },
		{ 'm', "--max-size", "TPTRACE_MAX_SIZE", "a size like 64M, at least 256K",
		  is_max_bytes },
		{ 'C', "--clock", "TPTRACE_CLOCK", "tsc or monotonic", is_clock },
		{ 'k', "--keep", "TPTRACE_KEEP", "first or last", is_keep },
	};
	size_t i = 0;

	while (asked[i].option != option)
		i++;
	if (!asked[i].is(value)) {
		cmd_usage("record", "%s takes %s, not `%s`", asked[i].name, asked[i].takes, value);
		return false;
	}
	return setenv(asked[i].variable, value, 1) == 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "output", required_argument, NULL, 'o' },
						 { "quiet", no_argument, NULL, 'q' },
						 { "buffer", required_argument, NULL, 'b' },
						 { "overflow", required_argument, NULL, 'O' },
						 { "start", required_argument, NULL, 'S' },
						 { "toggle-signal", required_argument, NULL, 't' },
						 { "snapshot-signal", required_argument, NULL,
						   's' },
						 { "max-size", required_argument, NULL, 'm' },
						 { "keep", required_argument, NULL, 'k' },
						 { "fork", required_argument, NULL, 'F' },
						 { "collapse", required_argument, NULL, 'c' },
						 { "clock", required_argument, NULL, 'C' },
						 { "inside", no_argument, NULL, 'I' },
						 { "print-shim", no_argument, NULL, 'P' },
						 { 0 } };
	char directory[PATH_MAX];
	bool inside = wants_inside(), print = false;
	bool found = shim_directory(directory, sizeof(directory));
	int option;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+ho:q", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return cmd_finish(0);
		case 'o':
			setenv("TPTRACE_OUTPUT", optarg, 1);
			break;
		case 'q':
			setenv("TPTRACE_VERBOSE", "0", 1);
			break;
		case 'b':
		case 'F':
		case 'c':
		case 'C':
		case 'O':
		case 'S':
		case 't':
		case 's':
		case 'm':
		case 'k':
			if (!set_asked(option, optarg))
				return 2;
			break;
		case 'I':
			inside = true;
			break;
		case 'P':
			print = true;
			break;
		default:
			return cmd_usage("record", "there is no option `%s`, or it lacks its value",
					 argv[optind - 1]);
		}
	}
	if (print && !found)
		return refuse(1, shims[0], "is not beside tptrace nor installed");
	if (print)
		return print_shims(directory, argv + optind, argc - optind);
	if (optind == argc)
		return cmd_usage("record", "there is no command to run");
	if (!found)
		return refuse(EXIT_CANNOT_RECORD, shims[0], "is not beside tptrace nor installed");
	return run(directory, argv + optind, inside);
}

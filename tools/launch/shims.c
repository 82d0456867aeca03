/* SPDX-License-Identifier: MIT */
/* shims.c - makes LD_PRELOAD of the libraries that are there. */
#include "tools/launch/shims.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/session/asked.h"
#include "collector/session/preloads.h"
#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/launch/target.h"

static const char *const shims[] = { SHIM_FILES }; /* PRELOADED in the Makefile */
#define N_SHIMS (sizeof(shims) / sizeof(shims[0]))
#define DATA_BYTES (14u << 20) /* what all of them take before the program has anything */
/* Preloaded only where the program is linked to one of these libraries, or LD_PRELOAD names it, or
 * the shim. */
static const struct shim_linked {
	const char *shim, *library[4];
} linked[] = {
	/* it stands in for pthread_create() and all that, as MassiveThreads does */
	{ "libtpshim_mthdl.so", { "libmyth-dl" } },
	/* a program may ask whether these libraries' functions are there */
	{ "libtpshim_device.so", { "libomptarget", "libOpenCL", "libcuda", "libamdhip64" } },
};
#define N_LINKED (sizeof(linked) / sizeof(linked[0]))
#define MTHDL (&linked[0])
static const char all[] = PRELOADS_ALL; /* these in one: a program starts sooner */
/* For the locks of threads: not where MassiveThreads has them. */
static const char pthread[] = "libtpshim_pthread.so";

/* The shim's file; false if it is not there. */
static bool shim_file(const char *directory, const char *shim, char *out, size_t room)
{
	return snprintf(out, room, "%s/%s", directory, shim) < (int)room && access(out, R_OK) == 0;
}

static bool is_there(const char *directory, const char *shim)
{
	char path[PATH_MAX + 64];

	return shim_file(directory, shim, path, sizeof(path));
}

/* The variable has that text, and behind it, apart by a colon, what it had. */
static bool put_in_front(const char *variable, const char *text)
{
	const char *before = getenv(variable);
	bool more = before && *before, set;
	char *value;

	if (asprintf(&value, "%s%s%s", text, more ? ":" : "", more ? before : "") < 0)
		return false;
	set = setenv(variable, value, 1) == 0;
	free(value);
	return set;
}

static bool wants_locks(void)
{
	const char *wanted = getenv(SHIMS_PTHREAD);

	return !wanted || strcmp(wanted, SHIMS_PTHREAD_OFF) != 0;
}

/* What the environment asks for is preloaded, too; what is not there, the recorder misses, and says
 * so. */
static const struct probe_asked {
	const char *variable, *file;
} probes[] = {
#define PROBE(variable, name, preloaded) { variable, PROBE_FILE(name) },
	PROBES_ASKED(PROBE)
#undef PROBE
};
#define N_PROBES (sizeof(probes) / sizeof(probes[0]))

static bool is_asked(const struct probe_asked *probe)
{
	const char *value = getenv(probe->variable);

	return value && *value;
}

/* Who else collects annotations goes on doing so. */
static bool set_collectors(const char *directory)
{
	static const char *const variable[] = { "INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH" };
	char path[PATH_MAX + 64];
	bool set = true;

	if (!shim_file(directory, PROBE_FILE("itt"), path, sizeof(path)))
		return true;
	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++)
		set &= setenv(variable[i], path, 0) == 0;
	return set;
}

static bool wants_linked(const struct shim_linked *shim, const char *before, const char *program)
{
	if (before && preloads_has(before, shim->shim))
		return true;
	for (size_t i = 0; i < sizeof(shim->library) / sizeof(shim->library[0]); i++)
		if (shim->library[i] && ((before && strstr(before, shim->library[i])) ||
					 target_is_linked(program, shim->library[i])))
			return true;
	return false;
}

const char *shims_why_not(void)
{
	struct rlimit data;

	/* it may need the other half, as for its threads' stacks */
	if (getrlimit(RLIMIT_DATA, &data) < 0 || data.rlim_cur / 2 >= DATA_BYTES)
		return NULL;
	return "nothing is recorded: tptrace's libraries would take more than half of the limit on "
	       "data (ulimit -d); raise it to 28 MB";
}

bool shims_put_in_front(const char *directory, const char *const *file, size_t n)
{
	bool bare = strchr(directory, ' ') != NULL, put = false;
	size_t room = (strlen(directory) + 64) * n + 1, length = 0;
	FREED char *list = malloc(room);

	for (size_t i = 0; list && i < n; i++)
		length += (size_t)snprintf(list + length, room - length, "%s%s%s%s",
					   length ? ":" : "", bare ? "" : directory,
					   bare ? "" : "/", file[i]);
	if (list)
		put = (!bare || put_in_front("LD_LIBRARY_PATH", directory)) &&
		      put_in_front("LD_PRELOAD", list) &&
		      put_in_front("ASAN_OPTIONS", "verify_asan_link_order=0");
	return put;
}

/* Ours are taken out of LD_PRELOAD: beside those that are put there, all would be done twice. */
static bool leave_others(void)
{
	const char *before = getenv("LD_PRELOAD");
	FREED char *others = before ? malloc(strlen(before) + 1) : NULL;
	bool left = !before;

	if (others) {
		*preloads_copy(others, before, PRELOADS_OTHERS) = 0;
		left = setenv("LD_PRELOAD", others, 1) == 0;
	}
	return left;
}

bool shims_preload(const char *directory, const char *program)
{
	const char *before = getenv("LD_PRELOAD"), *annotations = getenv(ANNOTATIONS_VARIABLE);
	const char *file[N_SHIMS + N_LINKED + N_PROBES]; /* two are fewer than N_SHIMS */
	bool locks = !wants_linked(MTHDL, before, program) && wants_locks();
	size_t n = 0;

	if (annotations && *annotations && !set_collectors(directory))
		return false;
	bool together = locks && is_there(directory, all);
	size_t n_single = together ? 0 : N_SHIMS;

	if (together) {
		file[n++] = "libtptrace.so"; /* it would be searched for */
		file[n++] = all;
	}
	for (size_t i = 0; i < n_single; i++)
		if ((locks || strcmp(shims[i], pthread) != 0) && is_there(directory, shims[i]))
			file[n++] = shims[i];
	for (size_t i = 0; i < N_LINKED; i++)
		if (wants_linked(&linked[i], before, program) &&
		    is_there(directory, linked[i].shim))
			file[n++] = linked[i].shim;
	for (size_t i = 0; i < N_PROBES; i++)
		if (is_asked(&probes[i]) && is_there(directory, probes[i].file))
			file[n++] = probes[i].file;
	return leave_others() && shims_put_in_front(directory, file, n);
}

static int refuse_name(const char *name)
{
	say_print(stderr,
		  "tptrace: %s: unknown shim; `tptrace record --print-shim` prints all but %s and "
		  "%s\n",
		  name, linked[0].shim, linked[1].shim);
	return 1;
}

/* Writes the paths as one word, as LD_PRELOAD wants it: the loader takes no new line between two.
 */
static int put_paths(FILE *out, const char *directory, char **name, int n)
{
	char path[PATH_MAX + 64], file[64];
	const char *between = "";

	for (size_t i = 0; i < (n ? (size_t)n : N_SHIMS); i++) {
		snprintf(file, sizeof(file), "libtpshim_%s.so", n ? name[i] : "");
		if (n && strchr(name[i], '/'))
			return refuse_name(name[i]);
		if (shim_file(directory, n ? file : shims[i], path, sizeof(path))) {
			fprintf(out, "%s%s", between, path);
			between = ":";
		} else if (n) {
			return refuse_name(name[i]);
		}
	}
	if (*between)
		fputc('\n', out);
	return 0;
}

int shims_print(const char *directory, char **name, int n)
{
	FREED char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int status = out ? put_paths(out, directory, name, n) : 1;
	struct err err;

	if (!out || fclose(out) != 0) {
		err_no_memory(&err);
		return say_fail(&err);
	}
	if (!status)
		fputs(text, stdout);
	return say_finish(status);
}

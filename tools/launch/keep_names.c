/* SPDX-License-Identifier: MIT */
/* keep_names.c - a trace's names, looked up once and written behind its events. */
#include "tools/launch/keep_names.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/trace/amend.h"
#include "collector/trace/reader.h"
#include "collector/session/cgroup.h"
#include "collector/session/point.h"
#include "tools/base/map.h"
#include "tools/run/sites.h"

static uint64_t max_bytes(const struct defs *defs)
{
	const char *text = defs_meta(defs, "max_size");

	return text ? strtoull(text, NULL, 10) : 0;
}

#ifndef NAMES_STILL_S /* a test's own */
#define NAMES_STILL_S 30u
#endif
#define OBJECTS_MOST 256u		/* that get names */
#define EVENTS_MOST (UINT64_C(1) << 24) /* of larger traces objects are looked up at the report */

/* Names the objects that a worker's tasks waited for. */
static int put_objects_of(const struct reader *reader, uint32_t worker, const struct sites *sites,
			  struct map *seen, FILE *out)
{
	const struct event *event;
	struct cursor cursor;
	struct err err;
	int more = 1;

	cursor_open(&cursor, reader, worker);
	while (more > 0 && seen->n < OBJECTS_MOST &&
	       (more = cursor_next(&cursor, &event, &err)) > 0) {
		uint64_t *known = event->kind == WIRE_OBJECT ? map_put(seen, event->b) : NULL;

		if (known && !(*known)++)
			sites_put_object(sites, event->b, out);
	}
	cursor_close(&cursor);
	return more;
}

static void put_objects(const struct reader *reader, const struct sites *sites, FILE *out)
{
	const struct reader_facts *facts = reader_facts(reader);
	struct map seen = { 0 };

	for (uint32_t w = 0; facts->n_events <= EVENTS_MOST && w < facts->n_workers; w++)
		if (put_objects_of(reader, w, sites, &seen, out) < 0)
			break;
	map_free(&seen);
}

/* The lines, malloc'd; NULL if there is no memory. */
static char *lines_of(const struct reader *reader, size_t *bytes)
{
	const struct defs *defs = reader_defs(reader);
	struct sites sites;
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	if (!out)
		return NULL;
	if (sites_open(&sites, defs) == 0) {
		sites_put(&sites, out);
		put_objects(reader, &sites, out);
		sites_close(&sites);
	}
	if (fclose(out) == 0 && *bytes)
		return text;
	free(text);
	return NULL;
}

/* Bytes of private memory that this process has; 0: unknown. */
static uint64_t data_bytes(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (!statm || fscanf(statm, "%*s %*s %*s %*s %*s %lu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Debug information may take any amount.  Where memory is limited, half of what is left stays to
 * others in the cgroup, or the kernel would kill one of them.
 */
static void limit_memory(void)
{
	struct cgroup cgroup = { 0 };
	uint64_t left, most;
	struct rlimit limit;

	cgroup_find(&cgroup, "memory", "");
	left = cgroup_left(&cgroup);
	if (left == CGROUP_NO_LIMIT || getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	most = data_bytes() + left / 2;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	setrlimit(RLIMIT_DATA, &limit);
}

int keep_names(const char *path, uint32_t *n_sites, struct err *err)
{
	struct reader *reader = NULL;
	char *lines = NULL;
	size_t bytes = 0;
	int error;

	test_point("names:begin");
	limit_memory();
	error = reader_open(&reader, path, err);
	if (error)
		return error;
	if (reader_facts(reader)->live) {
		error = err_set(err, EBUSY, "%s: is still being written", path);
		goto out;
	}
	*n_sites = reader_defs(reader)->n_sites ? reader_defs(reader)->n_sites - 1 : 0;
	lines = lines_of(reader, &bytes);
	error = lines ? trace_amend(path, lines, bytes, max_bytes(reader_defs(reader)), err)
		      : err_set(err, ENOMEM, "%s: out of memory", path);
out:
	free(lines);
	reader_close(reader);
	return error;
}

/* The environment without what is preloaded; malloc'd, NULL: no memory. */
static char **environment(void)
{
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			copy[kept++] = environ[i];
	return copy;
}

/* The CPU time of a child, in ns; 0: unknown. */
static uint64_t child_cpu_ns(pid_t child)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(child, &clock) == 0)
		clock_gettime(clock, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* A child that uses no CPU for so long waits for a file system that is gone: `record`, which waits
 * for the names, goes on without. */
static void await(pid_t child)
{
	struct pollfd ends = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	uint64_t used_ns = 0;
	unsigned still_s = 0;

	while (ends.fd >= 0 && still_s < NAMES_STILL_S && poll(&ends, 1, 1000) == 0) {
		const uint64_t now_ns = child_cpu_ns(child);

		still_s = now_ns == used_ns ? still_s + 1 : 0;
		used_ns = now_ns;
	}
	if (still_s == NAMES_STILL_S)
		kill(child, SIGKILL); /* which may take as long: nobody reaps it */
	else
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	if (ends.fd >= 0)
		close(ends.fd);
}

void keep_names_apart(const char *path)
{
	char *arguments[] = { "tptrace", "info", "--embed", "--", (char *)path, NULL };
	char **clean = environment();
	pid_t child;

	if (clean && posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, clean) == 0)
		await(child);
	free(clean);
}

/* SPDX-License-Identifier: MIT */
/* adopted.c - walks down from this process, and looks which libraries each descendant has. */
#include "tools/launch/adopted.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/session/proc.h"
#include "collector/session/runtime_libraries.h"

#define MOST 4096u /* processes looked at */

struct found {
	uint32_t n;
	pid_t pid[MOST];
};

static bool has_runtime(pid_t pid)
{
	char path[40], line[4352]; /* a path and what is before it */
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const struct runtime_library *library =
			runtime_library(strchr(line, '/') ? strrchr(line, '/') + 1 : "");

		found = library && library->has_shim;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* The children that a thread has made. */
static void add_children(struct found *found, pid_t pid, const char *thread, pid_t except)
{
	char path[300];
	FILE *children;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, thread);
	children = fopen(path, "re");
	while (children && found->n < MOST && fscanf(children, "%d", &child) == 1)
		if (child != except)
			found->pid[found->n++] = child;
	if (children)
		fclose(children);
}

static void add_below(struct found *found, pid_t pid, pid_t except)
{
	const struct dirent *thread;
	char path[40];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (thread = readdir(threads)))
		if (thread->d_name[0] != '.')
			add_children(found, pid, thread->d_name, except);
	if (threads)
		closedir(threads);
}

static unsigned long long number_at(const struct procstat *stat, enum procstat_field field)
{
	const char *at = procstat_field(stat, field);

	return at ? strtoull(at, NULL, 10) : 0;
}

static void name_it(struct adopted *adopted, pid_t pid, const struct procstat *stat)
{
	const char *name = strchr(stat->text, '('), *end = strrchr(stat->text, ')');
	int bytes = name && end ? (int)(end - name - 1) : 0;

	adopted->pid = pid;
	snprintf(adopted->name, sizeof(adopted->name), "%.*s", bytes, bytes ? name + 1 : "");
}

/* Counts it, unless it has ended; what it has run, and which it is, goes into `seen`. */
static void count(struct adopted *adopted, pid_t pid)
{
	struct procstat stat;
	const char *state =
		procstat_read(&stat, pid, 0) ? procstat_field(&stat, PROCSTAT_STATE) : NULL;
	bool runtime = state && has_runtime(pid);

	if (!state || strchr("ZXx", *state))
		return;
	adopted->n++;
	if (adopted->n == 1 || (runtime && !adopted->n_runtime))
		name_it(adopted, pid, &stat);
	adopted->n_runtime += runtime;
	adopted->moves |= !strchr("STtI", *state);
	adopted->seen = (adopted->seen ^ (uint64_t)pid) * UINT64_C(0x100000001b3); /* FNV-1a */
	adopted->seen += number_at(&stat, PROCSTAT_UTIME) + number_at(&stat, PROCSTAT_STIME);
}

/* Whether it has other children than those that come first in `found`. */
static bool has_others(const struct found *found, uint32_t n, pid_t except)
{
	static struct found now;

	now.n = 0;
	add_below(&now, getpid(), except);
	return now.n != n || memcmp(now.pid, found->pid, n * sizeof(now.pid[0])) != 0;
}

/* Who loses its parent meanwhile becomes a child of this process: it may have been passed by. */
void adopted_look(struct adopted *adopted, pid_t except)
{
	static struct found found;
	const uint64_t before = adopted->seen;
	uint32_t n_children;

	do {
		*adopted = (struct adopted){ 0 };
		found.n = 0;
		add_below(&found, getpid(), except);
		n_children = found.n;
		for (uint32_t i = 0; i < found.n; i++) {
			count(adopted, found.pid[i]);
			add_below(&found, found.pid[i], except);
		}
	} while (has_others(&found, n_children, except));
	adopted->moves |= adopted->n && adopted->seen != before;
}

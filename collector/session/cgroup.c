/* SPDX-License-Identifier: MIT */
/*
 * cgroup.c - finds the process's cgroups and reads their limits.
 *
 *	/proc/self/cgroup	0::/job/step1
 *	/proc/self/mountinfo	.. / /sys/fs/cgroup .. - cgroup2 ..
 *
 *	/sys/fs/cgroup/job/step1	memory.max max			no limit
 *	/sys/fs/cgroup/job		memory.max 4G, memory.current 3G, of which 2G are files'
 *	/sys/fs/cgroup			no such file
 *
 * leave 3 GiB.  In a container the mount's own top may be /job: then /job/step1 is step1 there.
 */
#include "collector/session/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/session/proc.h"

#define LEAST_NO_LIMIT (UINT64_C(1) << 62) /* version 1 says so many pages for none */
#define NUMBERS 64u			      /* bytes of a file with one or two */

static struct proc_lines lines; /* a thread's stack may be small */

static bool lines_open(const char *root, const char *path)
{
	char *name = lines.line;

	return snprintf(name, sizeof(lines.line), "%s%s", root, path) < (int)sizeof(lines.line) &&
	       proc_lines_open(&lines, name);
}

/* Whether a list, its items divided by commas, has that item. */
static bool has_item(const char *list, const char *item)
{
	size_t bytes = strlen(item);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += at != list;
		if (strncmp(at, item, bytes) == 0 && (at[bytes] == ',' || at[bytes] == 0))
			return true;
	}
	return false;
}

/* ---- where the groups are ---- */

/* "HIERARCHY:CONTROLLERS:PATH": the process's path, into the place's folder for now. */
static void find_paths(struct cgroup *cgroup, const char *controller, const char *root)
{
	if (!lines_open(root, "/proc/self/cgroup"))
		return;
	while (proc_lines_next(&lines)) {
		char *controllers = strchr(lines.line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		struct cgroup_place *place = NULL;

		if (!path)
			continue;
		*controllers++ = 0;
		*path++ = 0;
		/* hierarchy 0 is version 2, which has all controllers that no version 1 has taken
		 */
		if (strcmp(lines.line, "0") == 0 && !*controllers)
			place = &cgroup->v2;
		else if (has_item(controllers, controller))
			place = &cgroup->v1;
		if (place && strlen(path) < sizeof(place->folder))
			strcpy(place->folder, path);
	}
	proc_lines_close(&lines);
}

/* The next word of a line, ended by 0; *at is behind it. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");

	*at = *end ? end + 1 : end;
	*end = 0;
	return word;
}

/* A blank and the like stand as \ and three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		bool escaped = at[0] == '\\' && strspn(at + 1, "01234567") >= 3;

		*to = escaped ? (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'))
			      : *at;
		at += escaped ? 4 : 1;
	}
	*to = 0;
}

/*
 * The hierarchy's folder `top` is mounted at `point`: the process's path becomes its folder there.
 * A path that does not begin with `top` is of another namespace: then what is mounted counts.
 */
static void place_settle(struct cgroup_place *place, const char *root, const char *point,
			 const char *top)
{
	size_t top_bytes = strcmp(top, "/") == 0 ? 0 : strlen(top);
	const char *path = place->folder, *below = "";
	static char folder[sizeof(place->folder)];

	if (strncmp(path, top, top_bytes) == 0 &&
	    (path[top_bytes] == '/' || path[top_bytes] == 0) && strncmp(path, "/..", 3) != 0)
		below = path + top_bytes;
	if (strcmp(below, "/") == 0)
		below = "";
	if ((size_t)snprintf(folder, sizeof(folder), "%s%s%s", root, point, below) >=
	    sizeof(folder) - 32) /* and a file's name fits behind it */
		return;
	place->folder_bytes = strlen(folder);
	place->base_bytes = place->folder_bytes - strlen(below);
	memcpy(place->folder, folder, place->folder_bytes + 1);
}

/* "ID PARENT DEVICE TOP POINT OPTIONS [..] - TYPE SOURCE OPTIONS" */
static void find_mounts(struct cgroup *cgroup, const char *controller, const char *root)
{
	if (!lines_open(root, "/proc/self/mountinfo"))
		return;
	while (proc_lines_next(&lines)) {
		char *behind = strstr(lines.line, " - "), *at = lines.line, *top, *point, *type;
		struct cgroup_place *place = NULL;

		if (!behind)
			continue;
		*behind = 0;
		behind += strlen(" - ");
		type = next_word(&behind);
		next_word(&behind);
		if (strcmp(type, "cgroup2") == 0)
			place = &cgroup->v2;
		else if (strcmp(type, "cgroup") == 0 && has_item(behind, controller))
			place = &cgroup->v1;
		/* the first mount counts: others show the same groups, or parts of them */
		if (!place || place->base_bytes || !place->folder[0])
			continue;
		for (int i = 0; i < 3; i++)
			next_word(&at);
		top = next_word(&at);
		point = next_word(&at);
		unescape(top);
		unescape(point);
		place_settle(place, root, point, top);
	}
	proc_lines_close(&lines);
}

void cgroup_find(struct cgroup *cgroup, const char *controller, const char *root)
{
	int saved = errno;

	*cgroup = (struct cgroup){ 0 };
	find_paths(cgroup, controller, root);
	find_mounts(cgroup, controller, root);
	errno = saved;
}

/* ---- what they leave ---- */

static bool text_in(char *folder, size_t bytes, const char *file, char text[static NUMBERS])
{
	bool known;

	strcpy(folder + bytes, file);
	known = proc_text(folder, text, NUMBERS);
	folder[bytes] = 0;
	return known;
}

/* The number in a file of a group; `none` if there is no such file, or it says "max". */
static uint64_t number_in(char *folder, size_t bytes, const char *file, uint64_t none)
{
	char text[NUMBERS];
	bool known = text_in(folder, bytes, file, text);

	return known && text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : none;
}

/* Pages of files that the kernel can have back. */
static uint64_t droppable(char *folder, size_t bytes, const char *prefix)
{
	uint64_t sum = 0;
	bool open;

	strcpy(folder + bytes, "/memory.stat");
	open = lines_open("", folder);
	folder[bytes] = 0;
	if (!open)
		return 0;
	while (proc_lines_next(&lines)) {
		const char *at = lines.line;
		size_t skip = strlen(prefix);

		if (strncmp(at, prefix, skip) != 0)
			continue;
		at += skip;
		if (strncmp(at, "inactive_file ", 14) == 0 || strncmp(at, "active_file ", 12) == 0)
			sum += strtoull(strchr(at, ' '), NULL, 10);
	}
	proc_lines_close(&lines);
	return sum;
}

static uint64_t left_at(char *folder, size_t bytes, bool v2)
{
	uint64_t limit, used, drop;

	if (v2) {
		/* above `high` the kernel slows the process down until it has given memory back */
		uint64_t high = number_in(folder, bytes, "/memory.high", CGROUP_NO_LIMIT);

		limit = number_in(folder, bytes, "/memory.max", CGROUP_NO_LIMIT);
		limit = high < limit ? high : limit;
	} else {
		limit = number_in(folder, bytes, "/memory.limit_in_bytes", CGROUP_NO_LIMIT);
	}
	if (limit >= LEAST_NO_LIMIT)
		return CGROUP_NO_LIMIT;
	used = number_in(folder, bytes, v2 ? "/memory.current" : "/memory.usage_in_bytes", 0);
	drop = droppable(folder, bytes, v2 ? "" : "total_");
	used -= drop < used ? drop : used;
	return used < limit ? limit - used : 0;
}

/* "QUOTA PERIOD", or each in a file; without a quota it is "max", or less than 0. */
static uint64_t cpus_at(char *folder, size_t bytes, bool v2)
{
	char text[NUMBERS], *behind;
	uint64_t quota = 0, period = 0;

	if (!v2) {
		quota = number_in(folder, bytes, "/cpu.cfs_quota_us", 0);
		period = number_in(folder, bytes, "/cpu.cfs_period_us", 0);
	} else if (text_in(folder, bytes, "/cpu.max", text)) {
		quota = strtoull(text, &behind, 10);
		period = strtoull(behind, NULL, 10);
	}
	if (!quota || !period)
		return CGROUP_NO_LIMIT;
	if (quota > UINT64_MAX / 1000 - period)
		return CGROUP_NO_LIMIT;
	/* rounded up: a quota is never told as less than it is, least of all as none */
	return (1000 * quota + period - 1) / period;
}

static uint64_t pids_at(char *folder, size_t bytes, bool v2)
{
	uint64_t most = number_in(folder, bytes, "/pids.max", CGROUP_NO_LIMIT);
	uint64_t n = number_in(folder, bytes, "/pids.current", 0);

	(void)v2;
	if (most == CGROUP_NO_LIMIT)
		return CGROUP_NO_LIMIT;
	return n < most ? most - n : 0;
}

/* What a level leaves: bytes of memory, say. */
typedef uint64_t level_left(char *folder, size_t bytes, bool v2);

static uint64_t left_in(const struct cgroup_place *place, level_left *at, bool v2)
{
	static char folder[sizeof(place->folder)];
	uint64_t least = CGROUP_NO_LIMIT;
	size_t bytes = place->folder_bytes;

	if (!place->base_bytes)
		return CGROUP_NO_LIMIT;
	memcpy(folder, place->folder, bytes + 1);
	/* a group has no more than any of those around it leaves */
	for (;;) {
		uint64_t left = at(folder, bytes, v2);

		least = left < least ? left : least;
		if (bytes <= place->base_bytes)
			return least;
		do
			bytes--;
		while (bytes > place->base_bytes && folder[bytes] != '/');
		folder[bytes] = 0;
	}
}

static uint64_t least_left(const struct cgroup *cgroup, level_left *at)
{
	int saved = errno;
	uint64_t v1 = left_in(&cgroup->v1, at, false), v2 = left_in(&cgroup->v2, at, true);

	errno = saved;
	return v1 < v2 ? v1 : v2;
}

uint64_t cgroup_left(const struct cgroup *cgroup)
{
	return least_left(cgroup, left_at);
}

uint64_t cgroup_pids_left(const struct cgroup *cgroup)
{
	return least_left(cgroup, pids_at);
}

uint64_t cgroup_cpu_milli(const struct cgroup *cgroup)
{
	return least_left(cgroup, cpus_at);
}

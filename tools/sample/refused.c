/* SPDX-License-Identifier: MIT */
/* refused.c - perf_event_paranoid, a filter of system calls, or a kernel without perf events. */
#include "tools/sample/refused.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARANOID_MOST                                                                              \
	2 /* an ordinary user may sample own processes; Debian's and Ubuntu's is 3, 4 */

/* The number behind `key` in a file of /proc; `none` if there is no such line. */
static int number_in(const char *path, const char *key, int none)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int found = none;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0) {
			found = atoi(line + strlen(key));
			break;
		}
	if (file)
		fclose(file);
	return found;
}

struct refused_by refused_look(void)
{
	return (struct refused_by){
		.paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", "", -1),
		.filters_calls = number_in("/proc/self/status", "Seccomp:", 0) == 2
	};
}

void refused_say(char *text, size_t bytes, int error, struct refused_by by)
{
	static const char filter[] = "a seccomp filter forbids perf_event_open, as containers "
				     "have one: `docker run --cap-add PERFMON`, or a profile that "
				     "permits it";
	bool is_forbidden = error == -EACCES || error == -EPERM;

	if (is_forbidden && by.paranoid > PARANOID_MOST)
		snprintf(text, bytes,
			 "kernel.perf_event_paranoid is %d: `sudo sysctl "
			 "kernel.perf_event_paranoid=%d` permits them",
			 by.paranoid, PARANOID_MOST);
	else if ((is_forbidden || error == -ENOSYS) && by.filters_calls)
		snprintf(text, bytes, "%s", filter);
	else if (error == -ENOSYS || by.paranoid < 0)
		snprintf(text, bytes, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	else
		snprintf(text, bytes, "perf_event_open: %s", strerror(-error));
}

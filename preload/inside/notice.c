/* SPDX-License-Identifier: MIT */
/* notice.c - who launched the process, and whether to say that it has no trace. */
#include "preload/inside/notice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/inside/log.h"
#include "preload/programs.h"
#include "collector/session/environment.h"
#include "collector/session/launched.h"

void notice_given(void)
{
	launched_tick(programs_board());
}

static void say_absent(void)
{
	const char *launched = options_variable(LAUNCHED_VARIABLE);
	const char *tool = getenv("OMP_TOOL");
	struct rusage children = { 0 };
	char runtime[64];

	if (!launched || strchr(launched, ' ')) /* `record` reports it: it knows all processes */
		return;
	getrusage(RUSAGE_CHILDREN, &children); /* they may have had tasks */
	if (strtol(launched, NULL, 10) != (long)getpid() || children.ru_maxrss != 0)
		return;
	programs_runtime(runtime, sizeof(runtime));
	log_say("tptrace: no task of a runtime that tptrace knows was created; nothing is "
		"recorded: %s was in memory%s",
		runtime[0] ? runtime : "no task runtime",
		tool && strcmp(tool, "disabled") == 0 ? ", and OMP_TOOL=disabled" : "");
}

void notice_absent(bool filtered)
{
	if (!filtered)
		say_absent();
	else if (!programs_board()) /* `record` counts it */
		log_say("tptrace: the program put a filter of system calls on itself before its "
			"first task; nothing is recorded");
}

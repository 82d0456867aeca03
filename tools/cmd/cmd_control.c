/* SPDX-License-Identifier: MIT */
/* cmd_control.c - tptrace start, stop and snapshot: asks a traced process for it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/launch/orders.h"

/* Prints what it answers. */
static int ask(const char *command, int pid, struct err *err)
{
	char text[ORDERS_ANSWER];
	int error = orders_ask(command, pid, text, err);

	if (error)
		return error;
	if (text[2] && strcmp(command, cmd_snapshot.name) == 0)
		printf("%s\n", text + 3); /* the snapshot's name alone, for scripts */
	else if (text[2])
		printf("process %d: %s\n", pid, text + 3);
	return 0;
}

static const struct command *of_name(const char *name)
{
	if (strcmp(name, cmd_start.name) == 0)
		return &cmd_start;
	return strcmp(name, cmd_stop.name) == 0 ? &cmd_stop : &cmd_snapshot;
}

static int run(int argc, char **argv)
{
	struct call call;
	int status = 0;

	if (!call_open(&call, of_name(argv[0]), argc, argv, NULL))
		return call.status;
	for (int i = 0; i < call.n; i++) {
		char *end;
		long pid = strtol(call.argument[i], &end, 10);

		if (*end || pid <= 0 || pid > INT_MAX)
			return say_usage(argv[0], "invalid PID `%s`", call.argument[i]);
	}
	for (int i = 0; i < call.n; i++) {
		struct err err = { 0 };

		if (ask(argv[0], atoi(call.argument[i]), &err) < 0)
			status = say_fail(&err);
	}
	return say_finish(status);
}

const struct command cmd_start = {
	.name = "start",
	.run = run,
	.line = "start recording a running process",
	.arguments = "PID...",
	.without = "missing PID",
	.about =
		"Starts the recording of a traced process that was started with TPTRACE_START=off\n"
		"(`tptrace record --start=off`), or that was stopped.\n",
	.ranks = RANKS_EACH,
};

const struct command cmd_stop = {
	.name = "stop",
	.run = run,
	.line = "pause the recording of a running process",
	.arguments = "PID...",
	.without = "missing PID",
	.about = "Pauses the recording of a traced process until `tptrace start`. The time in\n"
		 "between is outside of all figures.\n",
	.ranks = RANKS_EACH,
};

const struct command cmd_snapshot = {
	.name = "snapshot",
	.run = run,
	.line = "write what a running process has recorded so far",
	.arguments = "PID...",
	.without = "missing PID",
	.about = "Writes what a traced process has recorded so far to a second file beside its "
		 "trace,\n"
		 "and prints its name. The process goes on. With TPTRACE_KEEP=last (`tptrace "
		 "record\n"
		 "--keep=last`) the snapshot is what the flight recorder holds.\n",
	.ranks = RANKS_EACH,
};

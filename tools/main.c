/* SPDX-License-Identifier: MIT */
/* main.c - runs the command that is named. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/wire.h"
#include "tools/base/pager.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/team/seat.h"

/* What is larger goes back to the kernel when it is freed: glibc's own bound grows to 32 MiB. */
#define MAPPED_BYTES (1 << 20)

static int help(FILE *out)
{
	fprintf(out, "usage: tptrace COMMAND [ARGUMENTS]\n\n"
		     "Shows where the time of a task-parallel program goes, without "
		     "recompiling it.\n\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->line);
	fprintf(out, "\n`tptrace COMMAND --help` describes a command.\n");
	return out == stdout ? say_finish(0) : 2;
}

static int unknown(const char *name)
{
	const char *near = command_nearest(name);

	if (near)
		say_print(stderr, "tptrace: unknown command `%s`; did you mean `%s`?\n", name,
			  near);
	else if (*name == '-')
		say_print(stderr, "tptrace: unknown option `%s` (see `tptrace --help`)\n", name);
	else
		say_print(stderr,
			  "tptrace: unknown command `%s`; to record a program: "
			  "`tptrace record -- %s`\n",
			  name, name);
	return 2;
}

static int say_version(void)
{
	printf("tptrace %s\n", TPTRACE_VERSION);
	return say_finish(0);
}

/* Of the ranks of an mpirun, one prints, unless each does something of its own. */
static int run(const struct command *command, int argc, char **argv)
{
	struct seat seat = seat_find();
	int status = 0;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return say_version();
	if (command != &cmd_record) /* a file too long is told; COMMAND keeps what it has */
		signal(SIGXFSZ, SIG_IGN);
	if (seat.launched && command->ranks != RANKS_EACH) { /* its terminals may be files */
		setenv("NO_COLOR", "1", 1);
		setenv(PAGER_VARIABLE, "", 1);
	}
	if (seat.n == 1 || command->ranks == RANKS_EACH)
		return command->run(argc, argv);
	if (seat.rank)
		say_nothing();
	say_as_rank(seat.rank);
	if (command->ranks == RANKS_TOGETHER)
		status = command->run(argc, argv);
	if (seat.rank) /* a wrong call is told by rank 0, which mpirun would end */
		return status == 2 ? 0 : status;
	if (command->ranks == RANKS_TOGETHER)
		return status;
	return say_usage(command->name,
			 "works in one process, and mpirun started %u; start it without mpirun",
			 seat.n);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *self = slash ? slash + 1 : argv[0];
	const struct command *command;

	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	if (strncmp(self, "tptrace-", 8) == 0 && command_find(self + 8))
		return run(command_find(self + 8), argc, argv);
	if (argc < 2)
		return help(stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(stdout);
	if (strcmp(argv[1], "--version") == 0)
		return say_version();
	if (strcmp(argv[1], "help") == 0) {
		static char option[] = "--help";

		if (argc == 2)
			return help(stdout);
		command = command_find(argv[2]);
		if (!command)
			return unknown(argv[2]);
		return command->run(2, (char *[]){ argv[2], option, NULL });
	}
	command = command_find(argv[1]);
	if (command)
		return run(command, argc - 1, argv + 1);
	return unknown(argv[1]);
}

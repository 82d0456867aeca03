/* SPDX-License-Identifier: MIT */
/* main.c - runs the command that is named. */
#include <stdio.h>
#include <string.h>

#include "tools/cmd/cmd.h"
#include "tools/cmd/command.h"

static int help(FILE *out)
{
	fprintf(out,
		"usage: tptrace COMMAND [ARGUMENTS]\n\n"
		"Says where the time of a task-parallel program goes, without recompiling it.\n\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->line);
	fprintf(out, "\n`tptrace COMMAND --help` describes a command.\n");
	return out == stdout ? cmd_finish(0) : 2;
}

static int unknown(const char *name)
{
	const char *near = command_nearest(name);

	if (near)
		cmd_print(stderr, "tptrace: unknown command `%s`; did you mean `%s`?\n", name,
			  near);
	else
		cmd_print(stderr,
			  "tptrace: unknown command `%s`; to record a program: "
			  "`tptrace record -- %s`\n",
			  name, name);
	return 2;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *self = slash ? slash + 1 : argv[0];
	const struct command *command;

	if (strncmp(self, "tptrace-", 8) == 0 && command_find(self + 8))
		return command_find(self + 8)->run(argc, argv);
	if (argc < 2)
		return help(stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(stdout);
	if (strcmp(argv[1], "--version") == 0) {
		printf("tptrace %s\n", TPTRACE_VERSION);
		return cmd_finish(0);
	}
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
		return command->run(argc - 1, argv + 1);
	return unknown(argv[1]);
}

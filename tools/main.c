/* SPDX-License-Identifier: MIT */
/* main.c - the table of commands. */
#include <stdio.h>
#include <string.h>

#include "tools/cmd/cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "run a program and record its tasks" },
	{ "report", cmd_report, "say where its time went" },
	{ "info", cmd_info, "say what a trace file holds" },
	{ "dump", cmd_dump, "print a trace as text" },
	{ "recover", cmd_recover, "get back what a killed program's rings hold" },
	{ "load", cmd_load, "make a trace of such text" },
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int help(FILE *out)
{
	fprintf(out,
		"usage: tptrace COMMAND [ARGUMENTS]\n\n"
		"Says where the time of a task-parallel program goes, without recompiling it.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n`tptrace COMMAND --help` says more.\n");
	return out == stdout ? cmd_finish(0) : 2;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *self = slash ? slash + 1 : argv[0];
	const struct command *command;

	if (strncmp(self, "tptrace-", 8) == 0 && find(self + 8))
		return find(self + 8)->run(argc, argv);
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

		command = argc > 2 ? find(argv[2]) : NULL;
		if (!command)
			return help(argc > 2 ? stderr : stdout);
		return command->run(2, (char *[]){ argv[2], option, NULL });
	}
	command = find(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	fprintf(stderr,
		"tptrace: there is no command `%s`; to record a program: "
		"tptrace record -- %s\n",
		argv[1], argv[1]);
	return 2;
}

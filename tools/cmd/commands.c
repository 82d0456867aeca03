/* SPDX-License-Identifier: MIT */
/* commands.c - the list of all commands, and tptrace completion, which is made from it. */
#include <string.h>

#include "tools/base/nearest.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/completion.h"

#define SHELLS "bash|zsh"

const struct command *const commands[] = {
	&cmd_record,  &cmd_report, &cmd_diff,	     &cmd_log,	      &cmd_simulate,
	&cmd_predict, &cmd_view,   &cmd_export,	     &cmd_plot,	      &cmd_info,
	&cmd_dump,    &cmd_start,  &cmd_top,	     &cmd_stop,	      &cmd_snapshot,
	&cmd_recover, &cmd_load,   &cmd_check_marks, &cmd_completion, NULL,
};

const struct command *command_find(const char *name)
{
	size_t i = 0;

	while (commands[i] && strcmp(commands[i]->name, name) != 0)
		i++;
	return commands[i];
}

const char *command_nearest(const char *typed)
{
	const char *name[sizeof(commands) / sizeof(commands[0])];
	size_t n = 0;

	for (; commands[n]; n++)
		name[n] = commands[n]->name;
	return nearest_of(typed, name, n);
}

static int run(int argc, char **argv)
{
	struct call call;

	if (!call_open(&call, &cmd_completion, argc, argv, NULL))
		return call.status;
	if (call.n != 1 || !option_is_word(SHELLS, call.argument[0]))
		return say_usage("completion", "name one shell: bash or zsh");
	if (strcmp(call.argument[0], "bash") == 0)
		completion_bash(stdout, commands);
	else
		completion_zsh(stdout, commands);
	return say_finish(0);
}

const struct command cmd_completion = {
	.name = "completion",
	.run = run,
	.line = "print a completion script for bash or zsh",
	.arguments = SHELLS,
	.about = "Prints a script that completes commands, options and values in bash or zsh.\n"
		 "`make install` installs it; otherwise: source <(tptrace completion bash)\n",
};

/* SPDX-License-Identifier: MIT */
/* completion.c - scripts in the languages of two shells. */
#include "tools/cmd/completion.h"

#include <string.h>

/* The words of "flush|drop", and of "off|TIME" those that are no name of a value. */
static void put_words(FILE *out, const char *words)
{
	for (size_t n; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (words[0] >= 'a')
			fprintf(out, " %.*s", (int)n, words);
	}
}

static bool takes_file(const struct command_option *option)
{
	return strcmp(option->value, "FILE") == 0;
}

/* ---- bash ---- */

static const char bash_head[] =
	"# bash completion of tptrace, made by `tptrace completion bash` from its tables of "
	"options.\n"
	"_tptrace()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command=${COMP_WORDS[1]} at=2 options= valued= arguments=\n\n"
	"\tif [[ ${COMP_WORDS[0]##*/} == tptrace-report ]]; then\n"
	"\t\tcommand=report at=1\n"
	"\telif ((COMP_CWORD == 1)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W '";

static const char bash_values[] =
	"' -- \"$word\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ $word == = ]]; then # readline takes --option=value apart\n"
	"\t\tword=\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tcase $command in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tif [[ $before == -* && \" $valued \" == *\" $before \"* ]]; then\n"
	"\t\t_tptrace_value \"$command\" \"$before\" \"$word\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\twhile ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == [-=]* && ${COMP_WORDS[at]} != -- "
	"]]; do\n"
	"\t\tif [[ ${COMP_WORDS[at + 1]} == = ]]; then\n"
	"\t\t\t((at += 2))\n"
	"\t\telif [[ \" $valued \" == *\" ${COMP_WORDS[at]} \"* ]]; then\n"
	"\t\t\t((at++))\n"
	"\t\tfi\n"
	"\t\t((at++))\n"
	"\tdone\n"
	"\t[[ ${COMP_WORDS[at]} == -- ]] && ((at < COMP_CWORD)) && ((at++)) && options=\n"
	"\tif [[ $arguments == command ]] && ((at < COMP_CWORD)); then\n"
	"\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset \"$at\"\n"
	"\t\telse\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"\t\tfi\n"
	"\telif [[ $word == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	"\telif [[ $arguments == command ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\"; compgen -d -- \"$word\")\n"
	"\telif [[ $arguments == trace ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -X '!*.tpt*' -- \"$word\"; compgen -d -- "
	"\"$word\")\n"
	"\telif [[ $arguments == file ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$arguments\" -- \"$word\")\n"
	"\tfi\n"
	"}\n"
	"complete -o filenames -F _tptrace tptrace tptrace-report\n";

/* What a command's arguments are; words stand for themselves. */
static void bash_arguments(FILE *out, const struct command *command)
{
	fputs(" arguments='", out);
	if (strstr(command->arguments, "COMMAND"))
		fputs("command", out);
	else if (strstr(command->arguments, "FILE"))
		fputs("trace", out);
	else if (strstr(command->arguments, "TEXT"))
		fputs("file", out);
	else
		put_words(out, command->arguments);
	fputc('\'', out);
}

static void bash_options(FILE *out, const struct command *command, bool valued)
{
	for (const struct command_option *o = command->option; o && o->help; o++) {
		if (!o->name || (valued && !option_needs_value(o)))
			continue;
		if (o->letter && valued)
			fprintf(out, " -%c", o->letter);
		fprintf(out, " --%s", o->name);
	}
}

/* A function that completes the values of options. */
static void bash_values_of(FILE *out, const struct command *const *all)
{
	fputs("_tptrace_value()\n{\n\tcase \"$1 $2\" in\n", out);
	for (size_t i = 0; all[i]; i++)
		for (const struct command_option *o = all[i]->option; o && o->help; o++) {
			if (!o->name || !option_needs_value(o))
				continue;
			fprintf(out, "\t'%s --%s'", all[i]->name, o->name);
			if (o->letter)
				fprintf(out, " | '%s -%c'", all[i]->name, o->letter);
			fputs(takes_file(o) ? ") mapfile -t COMPREPLY < <(compgen -f"
					    : ") mapfile -t COMPREPLY < <(compgen -W '",
			      out);
			if (!takes_file(o)) {
				if (option_words(o))
					put_words(out, option_words(o));
				fputc('\'', out);
			}
			fputs(" -- \"$3\") ;;\n", out);
		}
	fputs("\tesac\n}\n", out);
}

void completion_bash(FILE *out, const struct command *const *all)
{
	fputs(bash_head, out);
	for (size_t i = 0; all[i]; i++)
		fprintf(out, "%s ", all[i]->name);
	fputs("help --help --version", out);
	fputs(bash_values, out);
	for (size_t i = 0; all[i]; i++) {
		fprintf(out, "\t%s) options='--help", all[i]->name);
		bash_options(out, all[i], false);
		fputs("' valued='", out);
		bash_options(out, all[i], true);
		fputc('\'', out);
		bash_arguments(out, all[i]);
		fputs(" ;;\n", out);
	}
	fputs("\thelp) arguments='", out);
	for (size_t i = 0; all[i]; i++)
		fprintf(out, "%s ", all[i]->name);
	fputs("' ;;\n", out);
	fputs(bash_tail, out);
	bash_values_of(out, all);
}

/* ---- zsh ---- */

static const char zsh_tail[] =
	"\t)\n"
	"\tif [[ $service == tptrace-report ]]; then\n"
	"\t\t_tptrace_report\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_arguments -C '(- *)--help[print the commands]' '(- *)--version[print the version]' \\\n"
	"\t\t'1:command:->command' '*::argument:->argument'\n"
	"\tcase $state in\n"
	"\tcommand) _describe command commands ;;\n"
	"\targument) (($+functions[_tptrace_$line[1]])) && _tptrace_$line[1] ;;\n"
	"\tesac\n"
	"}\n\n"
	"_tptrace \"$@\"\n";

/* In quotes, and in brackets or before a colon. */
static void zsh_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr("[]:\\", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void zsh_value(FILE *out, const struct command_option *option)
{
	fprintf(out, "%s:%s:", option->bare ? ":" : "", option->name);
	if (takes_file(option)) {
		fputs("_files", out);
	} else if (option_words(option)) {
		fputc('(', out);
		put_words(out, option_words(option));
		fputs(" )", out);
	}
}

static void zsh_option(FILE *out, const struct command_option *option)
{
	for (int letter = option->letter != 0; letter >= 0; letter--) {
		bool value = option_takes_value(option);

		fputs(" \\\n\t\t'", out);
		if (letter)
			fprintf(out, "-%c%s[", option->letter, value ? "+" : "");
		else
			fprintf(out, "--%s%s[", option->name,
				!value	       ? ""
				: option->bare ? "=-"
					       : "=");
		zsh_text(out, option->help);
		fputc(']', out);
		if (value)
			zsh_value(out, option);
		fputc('\'', out);
	}
}

static void zsh_arguments(FILE *out, const struct command *command)
{
	if (strstr(command->arguments, "COMMAND")) {
		fputs(" \\\n\t\t'(-):command: _command_names -e' '*::argument: _normal'\n", out);
	} else if (strstr(command->arguments, "PID")) {
		fputs(" \\\n\t\t'*:process: _pids'\n", out);
	} else if (strchr(command->arguments, '|')) {
		fputs(" \\\n\t\t'1:word:(", out);
		put_words(out, command->arguments);
		fputs(" )'\n", out);
	} else {
		fprintf(out, " \\\n\t\t'*:file:_files%s'\n",
			strstr(command->arguments, "FILE") ? " -g \"*.tpt*(-.)\"" : "");
	}
}

void completion_zsh(FILE *out, const struct command *const *all)
{
	fputs("#compdef tptrace tptrace-report\n"
	      "# made by `tptrace completion zsh` from its tables of options\n",
	      out);
	for (size_t i = 0; all[i]; i++) {
		fprintf(out,
			"\n_tptrace_%s()\n{\n\t_arguments -s -S '(- *)--help[print the options]'",
			all[i]->name);
		for (const struct command_option *o = all[i]->option; o && o->help; o++)
			if (o->name)
				zsh_option(out, o);
		zsh_arguments(out, all[i]);
		fputs("}\n", out);
	}
	fputs("\n_tptrace()\n{\n\tlocal state line\n\tlocal -a commands=(\n", out);
	for (size_t i = 0; all[i]; i++) {
		fprintf(out, "\t\t'%s:", all[i]->name);
		zsh_text(out, all[i]->line);
		fputs("'\n", out);
	}
	fputs(zsh_tail, out);
}

/* SPDX-License-Identifier: MIT */
/* command.c - reads calls, and prints help, by the tables of options. */
#include "tools/cmd/command.h"

#include <assert.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/nearest.h"
#include "tools/base/pager.h"
#include "tools/base/say.h"
#include "tools/base/values.h"
#include "tools/base/xalloc.h"
#include "tools/team/newest.h"

#define OPTIONS_MOST 50 /* less than any character that getopt gives */
#define HELP_COLUMN 24	/* where the text of an option begins, */
#define HELP_WIDTH 84	/* and ends */
#define HEAD_BYTES 128	/* "  -o, --output FILE" */

bool option_takes_value(const struct command_option *option)
{
	return option->value && option->value[0] != '[';
}

bool option_needs_value(const struct command_option *option)
{
	return option_takes_value(option) && !option->bare;
}

const char *option_words(const struct command_option *option)
{
	if (option->words || !option_takes_value(option))
		return option->words;
	return strchr(option->value, '|') ? option->value : NULL;
}

bool option_is_word(const char *words, const char *word)
{
	size_t bytes = strlen(word);

	while (*words) {
		size_t n = strcspn(words, "|");

		if (n == bytes && strncmp(words, word, n) == 0)
			return true;
		words += n + (words[n] == '|');
	}
	return false;
}

/* ---- help ---- */

/* Words from `column` on, and on lines of their own that begin where the first does. */
static void put_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column + 1 + n > HELP_WIDTH && column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		column += (size_t)fprintf(out, "%s%.*s", column > indent ? " " : "", (int)n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}

static void put_entry(FILE *out, const char *head, const char *help)
{
	size_t column = strlen(head);

	fputs(head, out);
	if (column + 2 > HELP_COLUMN) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", (int)(HELP_COLUMN - column), "");
	put_wrapped(out, help, HELP_COLUMN, HELP_COLUMN);
}

static void put_options(FILE *out, const struct command_option *option)
{
	char head[HEAD_BYTES];

	for (; option && option->help; option++) {
		int n;

		if (!option->name)
			continue;
		n = option->letter ? snprintf(head, sizeof(head), "  -%c, ", option->letter)
				   : snprintf(head, sizeof(head), "      ");
		snprintf(head + n, sizeof(head) - (size_t)n,
			 option->bare	 ? "--%s[=%s]"
			 : option->value ? "--%s %s"
					 : "--%s",
			 option->name, option->value ?: "");
		put_entry(out, head, option->help);
	}
}

static bool has_variables(const struct command_option *option, bool of_options)
{
	while (option && option->help && !(option->variable && !option->name != of_options))
		option++;
	return option && option->help;
}

/* Those that options stand for. */
static void put_variables(FILE *out, const struct command_option *option)
{
	FREED char *text = NULL;
	const char *before = "These environment variables do what the options do: ";
	size_t n;
	FILE *line = xopen_memstream(&text, &n);

	for (; option->help; option++) {
		if (!option->variable || !option->name)
			continue;
		fprintf(line, "%s%s%s%s", before, option->variable, option->set ? "=" : "",
			option->set ? option->set : "");
		before = ", ";
	}
	xclose_memstream(line);
	if (text)
		put_wrapped(out, text, 0, 0);
}

static void put_other_variables(FILE *out, const struct command_option *option)
{
	char head[HEAD_BYTES];

	for (; option->help; option++) {
		if (option->name)
			continue;
		snprintf(head, sizeof(head), "  %s=%s", option->variable, option->value);
		put_entry(out, head, option->help);
	}
}

/* What --help prints. */
static void put_help(FILE *out, const struct command *command)
{
	fprintf(out, "usage: tptrace %s %s\n\n%s", command->name, command->arguments,
		command->about);
	if (command->option) {
		fputc('\n', out);
		put_options(out, command->option);
	}
	if (command->more)
		fprintf(out, "\n%s", command->more);
	if (has_variables(command->option, true) || has_variables(command->option, false))
		fputc('\n', out);
	if (has_variables(command->option, true))
		put_variables(out, command->option);
	if (has_variables(command->option, false))
		put_other_variables(out, command->option);
}

/* ---- calls ---- */

/* The numbers of the options in the table as getopt_long() has them, and "h" for help. */
static int get(const struct call *call)
{
	struct option all[OPTIONS_MOST + 2] = { { "help", no_argument, NULL, OPTIONS_MOST } };
	const struct command_option *option = call->command->option;
	char letters[2 * OPTIONS_MOST + 5], *letter = letters;
	int n = 1, got;

	if (strstr(call->command->arguments, "COMMAND"))
		*letter++ = '+'; /* what is behind it is another program's */
	*letter++ = ':';	 /* a missing value is told apart */
	*letter++ = 'h';
	for (int i = 0; option && option[i].help && i < OPTIONS_MOST; i++) {
		int takes = option_needs_value(&option[i])   ? required_argument
			    : option_takes_value(&option[i]) ? optional_argument
							     : no_argument;

		if (!option[i].name)
			continue;
		all[n++] = (struct option){ option[i].name, takes, NULL, i };
		if (!option[i].letter)
			continue;
		*letter++ = option[i].letter;
		if (takes != no_argument)
			*letter++ = ':';
		if (takes == optional_argument)
			*letter++ = ':';
	}
	*letter = 0;
	got = getopt_long(call->argc, call->argv, letters, all, NULL);
	if (got == 'h')
		return OPTIONS_MOST;
	for (int i = 0; got > OPTIONS_MOST && option && option[i].help; i++)
		if (option[i].letter == got)
			return i;
	return got;
}

/* "kind, site or worker", of "kind|site|worker". */
static char *spell(const char *words)
{
	const char *last = strrchr(words, '|');
	char *text = NULL;
	size_t n;
	FILE *out = xopen_memstream(&text, &n);

	for (; *words; words++)
		if (*words == '|')
			fputs(words == last ? " or " : ", ", out);
		else
			fputc(*words, out);
	xclose_memstream(out);
	return text;
}

static bool is_within(const struct command_option *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end != text && *end == 0 && value >= option->least && value <= option->most &&
	       (option->as == AS_REAL || value_is_number(text));
}

static bool is_valid(struct call *call, const struct command_option *option)
{
	FREED char *words = NULL;

	if (!option_takes_value(option))
		return true;
	if (option->is		   ? option->is(optarg)
	    : option->most > 0	   ? is_within(option, optarg)
	    : option_words(option) ? option_is_word(option_words(option), optarg)
				   : true)
		return true;
	words = spell(option->takes ?: option_words(option) ?: option->value);
	call->status = say_usage(call->command->name, "--%s takes %s, not `%s`", option->name,
				 words, optarg);
	return false;
}

/* By its number, or its letter. */
static int value_missing(const struct command *command, int which)
{
	const struct command_option *option = command->option;
	FREED char *words = NULL;

	if (which < OPTIONS_MOST)
		option += which;
	else
		while (option->letter != which)
			option++;
	words = spell(option->takes ?: option_words(option) ?: option->value);
	return say_usage(command->name, "--%s needs a value: %s", option->name, words);
}

/* What getopt does not know, or takes for more than one. */
static int unknown(const struct command *command, const char *typed)
{
	const struct command_option *option = command->option;
	const char *name[OPTIONS_MOST + 1] = { "help" }, *near = NULL;
	FREED char *word = strncmp(typed, "--", 2) == 0 ? xstrdup(typed + 2) : NULL;
	size_t n = 1, n_meant = 0;

	for (int i = 0; option && option[i].help && i < OPTIONS_MOST; i++)
		if (option[i].name)
			name[n++] = option[i].name;
	if (word) {
		word[strcspn(word, "=")] = 0;
		near = nearest_of(word, name, n);
	}
	for (size_t i = 0; word && i < n; i++)
		n_meant += strncmp(name[i], word, strlen(word)) == 0;
	if (near && strcmp(near, word) == 0)
		say_usage(command->name, "--%s takes no value", near);
	else if (n_meant > 1)
		say_usage(command->name, "`%s` may be one of %zu options: write it out", typed,
			  n_meant);
	else if (near)
		say_usage(command->name, "unknown option `%s`; did you mean `--%s`?", typed, near);
	else
		say_usage(command->name, "unknown option `%s`", typed);
	return 2;
}

/* Which of "kind|site|worker" it is. */
static unsigned word_number(const char *words, const char *word)
{
	unsigned number = 0;

	for (size_t n = strlen(word); strncmp(words, word, n) != 0 || !strchr("|", words[n]);) {
		words = strchr(words, '|') + 1;
		number++;
	}
	return number;
}

static void store(const struct command_option *option, void *request, const char *value)
{
	char *to = (char *)request + option->at;

	switch (option->as) {
	case AS_NOTHING:
		break;
	case AS_FLAG:
		*(bool *)to = true;
		break;
	case AS_TEXT:
		*(const char **)to = value;
		break;
	case AS_NUMBER:
		*(uint32_t *)to = value_number(value);
		break;
	case AS_ROWS:
		*(uint32_t *)to = value_number(value) ?: UINT32_MAX;
		break;
	case AS_LONG:
		*(uint64_t *)to = strtoull(value, NULL, 10);
		break;
	case AS_REAL:
		*(double *)to = strtod(value, NULL);
		break;
	case AS_TIME:
		value_time(value, (uint64_t *)to);
		break;
	case AS_WORD:
		*(unsigned *)to = word_number(option->value, value);
		break;
	case AS_BOLD:
		*(bool *)to = value_wants_bold(value);
		break;
	}
	if (option->take)
		option->take(request, value);
}

/* Takes the option of that number in the table.  Whether the call goes on. */
static bool take(struct call *call, void *request, int number)
{
	const struct command_option *option = &call->command->option[number];

	if (option->bare && !optarg)
		optarg = (char *)(uintptr_t)option->bare;
	if (!is_valid(call, option))
		return false;
	if (option->variable &&
	    setenv(option->variable, option->set ? option->set : optarg, 1) < 0) {
		call->status = say_usage(call->command->name, "out of memory");
		return false;
	}
	store(option, request, optarg);
	return true;
}

static int n_rows(const struct command_option *option)
{
	int n = 0;

	while (option && option[n].help)
		n++;
	return n;
}

/* What is wrong with the number of arguments: its status, or 0. */
static int check_arguments(const struct call *call)
{
	const struct command *command = call->command;

	if (!call->n && command->without)
		return say_usage(command->name, "%s", command->without);
	if (command->n_most && call->n > command->n_most)
		return say_usage(command->name, "too many files; name one");
	return 0;
}

bool call_open(struct call *call, const struct command *command, int argc, char **argv,
	       void *request)
{
	int got;

	*call = (struct call){ .command = command, .argc = argc, .argv = argv };
	assert(n_rows(command->option) <= OPTIONS_MOST);
	optind = 1;
	opterr = 0;
	while ((got = get(call)) >= 0 && got != OPTIONS_MOST && got != ':' && got != '?')
		if (!take(call, request, got))
			return false;
	if (got == OPTIONS_MOST) {
		put_help(stdout, command);
		call->status = say_finish(0);
	} else if (got == ':') {
		call->status = value_missing(command, optopt);
	} else if (got == '?') {
		call->status = unknown(command, argv[optind - 1]);
	}
	call->argument = argv + optind;
	call->n = argc - optind;
	if (got == -1)
		call->status = check_arguments(call);
	if (got != -1 || call->status)
		return false;
	if (command->paged)
		pager_hold();
	return true;
}

int call_traces(const struct call *call, int (*work)(void *context, char **path, int n),
		void *context)
{
	struct err err = { 0 };
	FREED char *newest = call->n ? NULL : newest_trace(&err);

	if (call->n)
		return work(context, call->argument, call->n);
	return newest ? work(context, &newest, 1) : say_fail(&err);
}

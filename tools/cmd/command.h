/* SPDX-License-Identifier: MIT */
/*
 * command.h - what a command takes, in one table: its options, their values and variables.
 *
 * From the table come getopt, `--help` and the completion of bash and zsh (completion.h);
 * scripts/documented compares the man page's list with it.
 *
 * argv[0] of a command is its name.  It returns the exit status: 0 done, 1 the input is invalid,
 * 2 the call is wrong.  The answer goes to stdout, all else to stderr.  One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a value becomes in the command's request, and of which type. */
enum option_as {
	AS_NOTHING,
	AS_FLAG,   /* bool: true, and so it takes no value */
	AS_TEXT,   /* const char *, borrowed */
	AS_NUMBER, /* uint32_t */
	AS_ROWS,   /* uint32_t; UINT32_MAX for 0 */
	AS_LONG,   /* uint64_t */
	AS_REAL,   /* double */
	AS_TIME,   /* uint64_t: ns */
	AS_WORD,   /* an enum: which of the words */
	AS_BOLD	   /* bool: value_wants_bold() */
};

struct command_option {
	const char *name;  /* "output"; NULL: there is only the variable */
	const char *value; /* "FILE", or "flush|drop": one of these words; NULL: it takes none */
	char letter;	   /* 'o'; 0: it has none */
	const char *
		words; /* a value is one of these, "flush|drop", of more than `value` shows; NULL */
	const char *bare; /* what the option alone stands for: a value is behind `=` then; NULL */
	const char *variable;	       /* what the option sets in the environment; NULL */
	const char *set;	       /* what it sets the variable to; NULL: its value */
	bool (*is)(const char *value); /* whether it is a value; NULL: anything, the words, .. */
	double least, most;	       /* .. or a number of these, in digits but AS_REAL */
	const char *takes; /* "a size like 64K", of a value that is none; NULL: the words */
	const char *help;  /* phrases, in one line; not of the variable, if `name` is NULL */
	enum option_as as;
	size_t at;					/* where in the request: offsetof() */
	void (*take)(void *request, const char *value); /* NULL; what else is done with it */
};

/* What the ranks of an mpirun that started this very program do. */
enum command_ranks {
	RANKS_ONE,     /* nothing: the command is for one process, and says so once */
	RANKS_EACH,    /* each rank what it would do without mpirun */
	RANKS_TOGETHER /* share the work; rank 0 prints */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *line;      /* of `tptrace --help` */
	const char *arguments; /* "[FILE...]": "COMMAND..." are those of another program */
	const char *without;   /* what is said of a call without any; NULL: it works */
	int n_most;	       /* how many it takes; 0: any number */
	const char *about;     /* lines, below "usage: " */
	const char *more;      /* lines, below the options; NULL */
	const struct command_option *option; /* up to one of all zeros; NULL: none */
	enum command_ranks ranks;
	bool paged; /* what it prints is read from top to bottom (pager.h) */
};

extern const struct command cmd_record, cmd_report, cmd_diff, cmd_log, cmd_simulate, cmd_predict,
	cmd_view, cmd_export, cmd_plot, cmd_info, cmd_dump, cmd_start, cmd_stop, cmd_snapshot,
	cmd_top, cmd_recover, cmd_load, cmd_check_marks, cmd_completion;

/* All of them, in the order of `tptrace --help`; NULL after the last. */
extern const struct command *const commands[];
const struct command *command_find(const char *name); /* NULL if there is none */
const char *command_nearest(const char *typed);	      /* NULL if none is near */

/* A call of a command. */
struct call {
	const struct command *command;
	int argc;
	char **argv;
	char **argument; /* n, behind the options, and NULL */
	int n;
	int status; /* once it is over */
};

/*
 * Reads the options into the request, a struct of the command's own; NULL if it has none.  False if
 * the call is over: --help was printed, or what is wrong with it was said.
 */
bool call_open(struct call *call, const struct command *command, int argc, char **argv,
	       void *request);
/* Works on the traces that are named, or on the newest one here.  The exit status. */
int call_traces(const struct call *call, int (*work)(void *context, char **path, int n),
		void *context);

/* Whether that is one of the words of "flush|drop". */
bool option_is_word(const char *words, const char *word);
/* Whether a value follows: "[NAME..]" are arguments. */
bool option_takes_value(const struct command_option *option);
/* Whether it is the next word: one behind `=` may be left out. */
bool option_needs_value(const struct command_option *option);
/* "flush|drop", or "off|TIME" where `is` says what else it takes; NULL. */
const char *option_words(const struct command_option *option);

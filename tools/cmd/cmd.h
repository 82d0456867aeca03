/* SPDX-License-Identifier: MIT */
/*
 * cmd.h - what the commands share: how they are called, and how they end.
 *
 * A command gets its own arguments (argv[0] is its name) and returns the exit status: 0 done,
 * 1 the input is bad, 2 the call is wrong.  The answer goes to stdout, all else to stderr.
 */
#pragma once

#include <stdio.h>
#include "collector/err.h"

#define TPTRACE_VERSION "0.1"

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);

/* Prints text with names in it, which may hold anything: what is not plain becomes `?`, but for
 * the newline at its end. */
void cmd_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "tptrace: TEXT", one line, on stderr; returns 1. */
int cmd_fail(const struct err *err);

/* Prints what is wrong with the call and where help is; returns 2. */
int cmd_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The newest *.tpt in this directory, malloc'ed; NULL and *err if there is none. */
char *cmd_newest(struct err *err);

/* Flushes stdout; 0, or 1 and a message if what was printed did not arrive. */
int cmd_finish(int status);

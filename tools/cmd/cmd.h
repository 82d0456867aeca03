/* SPDX-License-Identifier: MIT */
/*
 * cmd.h - what the commands share: what they print, and how they end.  command.h: how they are
 * called.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "collector/trace/err.h"
#include "collector/trace/wire.h"

/* Prints text with names in it, which may hold anything: what is not plain becomes `?`, but for
 * the newline at its end. */
void cmd_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "tptrace: TEXT", one line, on stderr; returns 1, or 2 if the call names what
 * is not there (ERR_NAME). */
int cmd_fail(const struct err *err);
/* The same for text with names in it. */
void cmd_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on both say which rank of mpirun has the trouble: "tptrace: rank 3: TEXT". */
void cmd_speak_as(uint32_t rank);

/* Prints what is wrong with the call and where help is; returns 2. */
int cmd_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The newest *.tpt in this directory, malloc'ed; NULL and *err if there is none: then that names
 * what to do about ring files of ended programs, if there are any. */
char *cmd_newest(struct err *err);

/* A line on stderr if programs whose traces belong in this directory ended and left ring files. */
void cmd_tell_left(void);

/* Flushes stdout; 0, or 1 and a message if what was printed did not arrive. */
int cmd_finish(int status);

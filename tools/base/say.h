/* SPDX-License-Identifier: MIT */
/*
 * say.h - what tptrace says on the terminal: a line of its own on stderr, and the exit status that
 * goes with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/trace/err.h"

/* Prints text with names in it, which may hold anything: what is not plain becomes `?`, but for
 * the newline at its end. */
void say_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "tptrace: TEXT", one line, on stderr; returns 1, or 2 if the call names what
 * is not there (ERR_NAME). */
int say_fail(const struct err *err);
/* The same for text with names in it. */
void say_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on both say which rank of mpirun has the trouble: "tptrace: rank 3: TEXT". */
void say_as_rank(uint32_t rank);

/* From now on this process prints nothing: another rank does. */
void say_nothing(void);
/* Where stderr was before; .. */
int say_stderr(void);
/* .. what only this rank knows goes there: as say_fail(). */
int say_alone(const struct err *err);
/* From now on it prints into these.  False if it cannot. */
bool say_into(int out, int err);

/* Prints what is wrong with the call and where help is; returns 2. */
int say_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes stdout; 0, or 1 and a message if what was printed did not arrive. */
int say_finish(int status);

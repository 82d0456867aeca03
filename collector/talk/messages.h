/* SPDX-License-Identifier: MIT */
/*
 * messages.h - what the user reads of a trace when it fails or ends.
 *
 * For the thread that drains.  Who collects decides where a line goes: stderr of the program, or of
 * `record`.
 */
#pragma once

#include "collector/drain/drain.h"

/* Prints a line, given without its newline. */
typedef void message_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says once that the writing has failed, if it has, and why. */
void message_failure(struct drain *drain, message_say *say);

/* Says, after the end, what there is and what is missing; `how` the program ended, or NULL if that
 * need not be said. */
void message_end(struct drain *drain, const char *how, message_say *say);

/* Whether there is a trace, or these lines say why not. */
bool message_covers(const struct drain *drain);

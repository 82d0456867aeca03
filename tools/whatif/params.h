/* SPDX-License-Identifier: MIT */
/*
 * params.h - what the user says of a run's input: "n=1000,block=32".
 *
 * A key is a letter and letters, digits or `_`; a value is anything but a comma, and not empty.
 * The two that `tptrace predict` computes with are numbers above 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PARAMS_SIZE "n"	   /* of the problem */
#define PARAMS_WORKERS "p" /* a whole number */

/* Whether the text is such a list, with no key twice. */
bool params_are(const char *text);

/* The value of a key, cut to `room`; false if it has none.  `text` may be NULL. */
bool params_find(const char *text, const char *key, char *value, size_t room);

/* The number that a key's value is, above 0; false if it is none. */
bool params_number(const char *text, const char *key, double *number);

/* The list without that key, in `out`, which has room for all of it. */
void params_without(const char *text, const char *key, char *out);

/* SPDX-License-Identifier: MIT */
/* values.h - values of options, as users write them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* "1.5s", "20ms"; without a unit, s. */
bool value_time(const char *text, uint64_t *ns);
bool value_is_time(const char *text);

bool value_is_number(const char *text);
uint32_t value_number(const char *text); /* of such; at most UINT32_MAX */
bool value_is_percent(const char *text); /* "5", "2.5%" */

/* A directory, or a name that the collector can expand (TPTRACE_OUTPUT). */
bool value_is_output(const char *text);

/* Columns of standard output: what COLUMNS or the terminal says, within `least` and `most`; `else_`
 * if neither does. */
unsigned value_width(unsigned least, unsigned most, unsigned else_);

/* Of --color: whether standard output is to have bold text. */
bool value_wants_bold(const char *when);

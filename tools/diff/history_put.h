/* SPDX-License-Identifier: MIT */
/* history_put.h - a series of versions for people, as JSON and as CSV (tptrace-log(1)). */
#pragma once

#include <stdio.h>
#include "tools/diff/diff_line.h"
#include "tools/diff/history.h"

/* `shown`: width and bold. */
void history_screen(FILE *out, const struct history *history, const struct diff_shown *shown);

/* One line. */
void history_json(FILE *out, const struct history *history);

/* A line for each version [RFC 4180]. */
void history_csv(FILE *out, const struct history *history);

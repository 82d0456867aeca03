/* SPDX-License-Identifier: MIT */
/* text.h - the report as a screen of text for people. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "tools/export/processes.h"
#include "tools/export/table.h"

#define TEXT_TIME 16 /* room for a time */

/* "12.3 ms": three digits and a unit.  Returns out. */
char *text_time(char out[TEXT_TIME], uint64_t ns);

/* Text out of a trace, which could tell a terminal to do anything: `?` for all that is not plain
 * (collector/plain.h). */
void text_put(FILE *out, const char *text);

/* A line for each process, and their sums. */
void text_processes(FILE *out, const struct processes *all, uint32_t n_most, bool bold);

/* The report; `bold` for a terminal that has it. */
void text_report(FILE *out, const struct summary *summary, const struct profile *profile,
		 uint32_t n_most, bool bold);

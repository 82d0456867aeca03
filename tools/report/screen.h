/* SPDX-License-Identifier: MIT */
/* screen.h - the report as a screen of text for people. */
#pragma once

#include <stdio.h>
#include "tools/table/look.h"
#include "tools/report/job.h"
#include "tools/summary/profile.h"

/* A line for each process, their sums, and what is found in their job; by rank, host, or kind. */
void screen_processes(FILE *out, const struct processes *all, const struct job *job,
		      enum profile_by by, const struct look *look);

/* All of it. */
void screen_report(FILE *out, const struct summary *summary, const struct profile *profile,
		   const struct look *look);

/* The top of the screen for another one to lay out.  A fact a line, the program's command first;
 * and a note a line, of what is missing or makes figures doubtful. */
void screen_put_facts(FILE *out, const struct summary *summary);
void screen_put_notes(FILE *out, const struct summary *summary);
/* Those of the notes that say how the run ended and what was lost. */
void screen_put_fates(FILE *out, const struct summary *summary);

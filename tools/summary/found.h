/* SPDX-License-Identifier: MIT */
/* found.h - a finding in words: where it is, what it is, what to try. */
#pragma once

#include "tools/summary/summary.h"

struct found {
	const struct finding *finding;
	struct finding_names names;
	struct place place;	 /* borrows from the summary */
	char lock[FINDING_TEXT]; /* its name; empty if the finding is of none */
	char where[FINDING_TEXT], what[FINDING_TEXT], advice[FINDING_TEXT];
};

/* Fills `found`. */
void found_say(struct found *found, const struct summary *summary, const struct finding *finding);

/* The name of the run's runtime; empty if tasks are of several. */
const char *found_runtime(const struct summary *summary);

/* A fact as sentences say it.  Returns out. */
const char *found_fact(const struct summary *summary, const struct fact *fact,
		       char out[FINDING_TEXT]);

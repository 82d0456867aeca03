/* SPDX-License-Identifier: MIT */
/*
 * outcome_carry.h - outcomes of processes that another process of ours read: as bytes, and added
 * up.
 */
#pragma once

#include "tools/diff/outcome.h"
#include "tools/summary/bytes.h"

void outcome_write(FILE *out, const struct outcome *outcome);
/* *outcome is yours to outcome_free(), also after an error.  0 or -ENOMEM; what is not whole is an
 * error, too. */
int outcome_read(struct outcome *outcome, struct bytes *bytes);

/* Adds a process to the run, which is zeroed at first; the run gets its path and names from the
 * first.  0 or -ENOMEM. */
int outcome_merge(struct outcome *run, const struct outcome *process);

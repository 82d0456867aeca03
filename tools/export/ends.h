/* SPDX-License-Identifier: MIT */
/*
 * ends.h - head and tail: the time of the process before the first activity of a runtime, and after
 * the last.
 *
 * Either is unknown where the trace does not say when the process began or ended, or where
 * something may have happened there that was not recorded: recording was off, events were lost,
 * the trace goes on with another's.
 */
#pragma once

#include "tools/export/summary.h"

/* Fills summary->head and summary->tail. */
void ends_find(struct summary *summary, const struct reader *reader);

/* A sentence, if they are a hundredth of the process's time or more. */
void ends_put(FILE *out, const struct summary *summary);

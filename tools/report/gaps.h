/* SPDX-License-Identifier: MIT */
/* gaps.h - says in text which events are missing, and when recording was stopped. */
#pragma once

#include <stdio.h>
#include "tools/analysis/phases.h"
#include "tools/dag/dag.h"

/* How many events were lost, and a line for each worker: when and why.  Nothing if none were. */
void gaps_put(FILE *out, const struct dag *dag, const char *unwritten);

/* A line for each time that recording was stopped on request. */
void gaps_put_stopped(FILE *out, const struct phases *phases, uint64_t elapsed_ns);

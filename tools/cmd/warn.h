/* SPDX-License-Identifier: MIT */
/* warn.h - what to know of a trace before its figures are believed. */
#pragma once

#include "tools/run/run.h"

/*
 * A line on stderr for each binary that changed since, and if the trace is not whole.  Whether it
 * is damaged: then the exit status says so.  One that is cut off is whole up to there, as its
 * losses say.
 */
bool warn_of(const struct run *run);

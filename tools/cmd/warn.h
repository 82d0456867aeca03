/* SPDX-License-Identifier: MIT */
/* warn.h - what to know of a trace before its figures are believed. */
#pragma once

#include "tools/run/run.h"

/*
 * A line on stderr for each binary that changed since, and if the trace is not whole.  Whether it is
 * damaged: what a command then makes of it is not the whole run, and its exit status says so.
 */
bool warn_of(const struct run *run);

/* SPDX-License-Identifier: MIT */
/*
 * told.h - what the collector before this one had told in the trace, and that goes on from there:
 * what was collapsed, and marks.
 */
#pragma once

#include "collector/trace/defs.h"
#include "collector/trace/file.h"

/* Adds that of all blocks of definitions; `told` is yours to defs_free(). */
void told_read(struct defs *told, const struct trace_file *file);

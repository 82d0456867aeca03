/* SPDX-License-Identifier: MIT */
/* lines.h - a block of definitions: lines that a function writes. */
#pragma once

#include <stdio.h>

struct drain;
struct trace_file;

/* Writes lines; `context` is its own. */
typedef void lines_writer(struct drain *drain, FILE *out, const void *context);

/* Puts a block of the lines that `put` writes into the file; without memory the file fails. */
void lines_put(struct drain *drain, struct trace_file *file, lines_writer *put,
	       const void *context);

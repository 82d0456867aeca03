/* SPDX-License-Identifier: MIT */
/* dump.h - writes a trace in its text form (FORMAT.md). */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "collector/trace/err.h"

struct defs;
struct reader;

/* Writes a trace as text, the workers' events merged by time.  0 or -errno and *err. */
int text_dump(const struct reader *reader, FILE *out, struct err *err);

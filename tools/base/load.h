/* SPDX-License-Identifier: MIT */
/* load.h - makes a trace of its text form (FORMAT.md), as people and tests write it. */
#pragma once

#include <stdint.h>
#include "tools/trace/reader.h"

/*
 * Turns text into a trace, written to fd, which is closed.  `path`, of the text, and `out_path`
 * are for messages.  0, or -errno and *err, which names the line.
 */
int text_load(const char *text, uint64_t bytes, const char *path, int fd, const char *out_path,
	      struct err *err);

/* reader_open(), and of a text: that is turned into a trace in memory. */
int text_open(struct reader **out, const char *path, struct err *err);

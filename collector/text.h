/* SPDX-License-Identifier: MIT */
/* text.h - a trace as text (FORMAT.md), to be read and written by people and by tests. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "collector/encode.h"
#include "collector/err.h"

struct reader;

bool text_is(const char *text, uint64_t bytes); /* whether it begins as a text trace does */

/*
 * Turns text into a trace, written to fd, which is closed.  `path` is for messages.  0, or
 * -errno and *err, which names the line.
 */
int text_load(const char *text, uint64_t bytes, const char *path, int fd, struct err *err);

/* Writes a trace as text, the workers' events merged by time.  0 or -errno and *err. */
int text_dump(const struct reader *reader, FILE *out, struct err *err);

/* Writes one event as a line; time in the trace's units. */
void text_event(FILE *out, uint32_t worker, const struct event *event);

/* How a task or group is written, "0.1"; `out` has room for 32 bytes.  Returns out. */
char *text_id(char *out, uint64_t id);

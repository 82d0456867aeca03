/* SPDX-License-Identifier: MIT */
/*
 * progress.h - says on a terminal what takes longer than a second, and how much of it is done.
 *
 * A thread of its own writes to stderr, so that whoever works only counts.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct progress;

/* NULL if stderr is no terminal, or without memory: then nothing is said. */
struct progress *progress_open(void);
void progress_close(struct progress *progress); /* wipes the line; NULL is fine, here and below */
/* Wipes the line that is shown, if any, for good: the process ends.  From any thread. */
void progress_wipe(void);

/* From now on it is this: "reading run.tpt".  `total`: 0 if nothing is counted. */
void progress_stage(struct progress *progress, const char *what, uint64_t total);
void progress_add(struct progress *progress, uint64_t n);

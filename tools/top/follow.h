/* SPDX-License-Identifier: MIT */
/*
 * follow.h - a trace that somebody else writes, and the newest part of it as a trace by itself.
 *
 * Only headers of blocks and new definitions are read as the file grows, so that a long run costs
 * no more than a short one.  A part is made of whole blocks: of each worker those of the last
 * seconds and the one before, which says what the worker ran then.  Events are not decoded here.
 * One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "collector/trace/err.h"
#include "collector/trace/wire.h"
#include "tools/top/part_end.h"

/* Lines of definitions that hold for all of the trace. */
struct follow_lines {
	char *at;
	size_t n;
	uint64_t room;
};

struct follow {
	char *path;
	int fd;
	uint64_t at;		  /* the next block, when it is there */
	struct wire_block *block; /* of events; n_blocks of them */
	uint64_t n_blocks, block_room;
	uint32_t n_workers;	   /* 1 + the largest that has a block */
	struct follow_lines lines; /* but for those below */
	struct follow_lines syncs; /* points of the clock: each 0.2 s one */
	struct follow_lines names; /* of the first n_named sites, once they were looked up */
	struct follow_lines watermark;
	uint32_t n_sites, n_named;
};

/* The part is at most that long, and has no more events than that, if workers have so few in one
 * block each. */
struct follow_wanted {
	uint64_t ns, n_events;
};

/* 0, or -errno and *err.  *follow is yours to follow_close(), also after an error. */
int follow_open(struct follow *follow, const char *path, struct err *err);
void follow_close(struct follow *follow);

/* Reads what was added: 1 if that is anything, 0, or -errno and *err. */
int follow_read(struct follow *follow, struct err *err);

struct part {
	uint64_t n_events;    /* that were recorded */
	bool whole;	      /* it is all of the trace */
	uint64_t begin_units; /* of the trace */
	uint64_t known_units; /* from then on nothing is missing of any worker */
	struct part_end end;
};

/* Makes the newest part a trace on a descriptor of memory, which is the caller's.  The descriptor,
 * or -errno and *err. */
int follow_part(struct follow *follow, const struct follow_wanted *wanted, struct part *part,
		struct err *err);

/* What `put` writes are names of all sites that are known now: part of each trace from now on. */
void follow_name(struct follow *follow, void (*put)(FILE *out, const void *of), const void *of);

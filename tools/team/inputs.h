/* SPDX-License-Identifier: MIT */
/*
 * inputs.h - the traces that a command was given: files, and folders with all the traces in them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/err.h"

struct job_facts;

struct input {
	char *path;
	char *host, *program; /* "" if not known */
	bool has_rank;
	uint64_t rank, pid;
	uint32_t world;	  /* of its ranks: identity.h */
	uint32_t given;	  /* its place in what was given */
	bool is_baseline; /* of record --baseline: a run for comparison alone */
	uint64_t bytes;	  /* of its file */
	struct job_facts *facts;
	uint32_t job; /* jobs_find() */
};

struct inputs {
	bool quiet; /* what is no trace is not told of */
	struct input *at;
	uint32_t n;
	char *baseline; /* the first of those that are left out as such; NULL */
	uint64_t room;
	uint32_t n_bad; /* could not be opened: that was said on stderr, and they are left out */
};

/* Whether there is one trace to be reported by itself: it was named, and nothing else was. */
bool inputs_single(char **argument, int n);

/* Opens them if they are one run and its baseline; else false, and nothing to free. */
bool inputs_pair(char **argument, int n, struct inputs *pair);

/* "a.tpt,b.tpt" as *n paths, one if that is the name of a file; free() what is returned. */
char **inputs_split(const char *argument, int *n);

/*
 * Opens what is named, and puts it in order: by rank, host and pid, else as it was given.  Says on
 * stderr, in a line each, what is no trace.  Baselines are left out if there is anything else.
 */
void inputs_open(struct inputs *inputs, char **argument, int n);

void inputs_free(struct inputs *inputs);

/* SPDX-License-Identifier: MIT */
/*
 * path_rows.h - the profile by creation path: paths with their names and figures.
 *
 * Two kinds are of the same code if they have the same name, file and line.  Each column adds up
 * to its component of the breakdown.  Times are ns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tools/dag/alike.h"
#include "tools/analysis/paths.h"
#include "tools/summary/regrouped.h"

struct path_rows {
	const struct summary *summary;
	struct callpaths callpaths; /* its kinds; nothing if they are the summary's */
	struct paths paths;
	struct regrouped by; /* path */
	uint32_t *row;	     /* paths that have tasks or were charged, the most costly first */
	uint32_t n;
};

/* Of a summary, which must outlive it.  With summary->calls, tasks that were created by call stacks
 * that differ are of paths that differ. */
void path_rows_build(struct path_rows *rows, const struct summary *summary);
/*
 * Likewise in two steps, before the summary has its rows: place[] is what rows.code will be.
 * Between them rows->by is to be made of rows->paths.dag.
 */
void path_rows_open(struct path_rows *rows, const struct summary *summary,
		    const struct place *place);
void path_rows_sort(struct path_rows *rows);
void path_rows_free(struct path_rows *rows); /* a zeroed one is fine */

/* Fills chain[0..] with the path and those above it, from the top.  Returns how many there are. */
uint32_t path_chain(const struct path_rows *rows, uint32_t path, uint32_t chain[PATHS_DEEPEST]);
/* The functions that were active where its tasks are created, as sites of the trace, the innermost
 * first: how many, at most PATH_CALLS. */
#define PATH_CALLS 64u
uint32_t path_calls(const struct path_rows *rows, uint32_t path, site_id call[PATH_CALLS]);
/* The same, the outermost first, without those that a chain has anyway: the creator's own function,
 * whose name is `above` (NULL: there is none), and the one that the path's code is in. */
uint32_t path_frames(const struct path_rows *rows, uint32_t path, const char *above,
		     struct place frame[PATH_CALLS]);
/* Its own code. */
const struct place *path_code(const struct path_rows *rows, uint32_t path);
/* Whether tasks of it, or of codes that it is recursive with, create one another. */
bool path_is_recursive(const struct path_rows *rows, uint32_t path);
/* "a|b": the names of a lead and of what it is recursive with, as it stands above other paths. */
char *path_lead_text(char *out, size_t room, const struct path_rows *rows, uint32_t path);
/* "main > a > b (recursive)"; if that is longer than `room`, codes next to the first are left out.
 */
char *path_text(char *out, size_t room, const struct path_rows *rows, uint32_t path);

/* SPDX-License-Identifier: MIT */
/*
 * paths.h - creation paths: the chain of tasks that created each task, by their code.
 *
 * A path is a node of a tree: the path of the creator, and one code more.  Recursion is folded:
 * codes whose tasks create one another, directly or not, stand side by side, below what created
 * the first of them.  The first such path is the `lead` of all, and the parent of what any of them
 * creates otherwise.
 *
 * Path 0 is that of the root tasks.  Another path without a parent has tasks whose creator nobody
 * saw, or whose path is one too many or too deep.  A path comes behind its parent and its lead.
 *
 * For collapsed tasks the trace has sums by kind, and how many there are below each task that
 * stands for them.  A kind's sums go to the paths of its code that pass through such tasks, in
 * proportion to what was collapsed below those.  Where none was seen, the path of such a task
 * gets a `guessed` one below it.
 *
 * `dag` is the graph once more, with paths for kinds: an analysis of it finds by path what it
 * finds by kind of the other one, and the sums are the same.  It borrows all else: paths_free()
 * frees it.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define PATH_NONE UINT32_MAX
#define PATHS_MAX (1u << 14)
#define PATHS_DEEPEST 128u

struct path {
	uint32_t parent; /* a lead; PATH_NONE */
	uint32_t lead;	 /* maybe itself */
	uint32_t next;	 /* of the same lead, in the order of their first tasks; PATH_NONE */
	uint32_t last;	 /* a lead: the last one of these */
	uint32_t depth;	 /* how many are above it */
	kind_id kind;	 /* one of the kinds of its own code */
	bool recursive;	 /* a lead: tasks of its paths create tasks of them */
	bool guessed;	 /* all of its tasks are collapsed, and others may be in between */
};

struct paths {
	struct path *path;
	uint32_t n;
	uint64_t n_guessed; /* collapsed tasks that may belong to other paths */
	struct dag dag;

	/* paths.c's own, which `dag` has for its kinds and tasks */
	uint32_t *of_task;
	struct kind_collapsed **collapsed;
	site_id *site;
	uint8_t *what;
	uint16_t *runtimes;
	/* and while they are built */
	const struct dag *from;
	const struct select *select;
	const kind_id *code;
	kind_id *cycle;	   /* by code: the least code of those that it is recursive with */
	struct map with; /* parent << 32 | code -> path + 1 */
	struct map lead; /* parent << 32 | cycle -> lead + 1 */
	uint64_t room;
};

/*
 * code[0..n_kinds-1] is the least kind of the same code; roots share theirs with no other.  The
 * graph must outlive the paths.
 */
void paths_build(struct paths *paths, const struct dag *dag, const struct select *select,
		 const kind_id *code);
void paths_free(struct paths *paths); /* a zeroed one is fine */

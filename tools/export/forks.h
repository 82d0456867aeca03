/* SPDX-License-Identifier: MIT */
/*
 * forks.h - a run as a grain graph [Muddukrishna, Jonsson, Podobas, Brorsson, PPoPP 2016],
 * contracted until people can look at it.
 *
 *	task	a task, or several that were contracted
 *	fork	where a task creates the children that one wait joins
 *	join	that wait
 *
 * Tasks deeper in the tree than `depth` are contracted into their ancestor there; then siblings
 * of one kind that have no children left, and are joined by one wait, are contracted into one
 * node.  `depth` is the largest that gives no more nodes than are wanted, so no work is left out.
 *
 *	create	task or join -> fork, fork -> task	join	the end of a task -> join
 *	continue	a task's join -> its next fork	depend	task -> task
 *
 * One thread.
 */
#pragma once

#include "tools/export/export.h"

enum fork_node_type { FORKS_TASK, FORKS_FORK, FORKS_JOIN, FORKS_NODE_TYPES };
extern const char *const fork_node_name[FORKS_NODE_TYPES]; /* "task", .. */

#define FORKS_NONE UINT32_MAX
#define FORKS_SEVERAL (UINT32_MAX - 1) /* workers */

struct fork_node {
	enum fork_node_type type;
	task_id task;	 /* the first; of a fork and a join, whose they are */
	kind_id kind;	 /* the first's */
	uint32_t worker; /* of its first strand; FORKS_NONE: it never began */
	uint32_t child_number, n_children;
	uint64_t n_tasks; /* with contracted and collapsed ones */
	uint64_t work_ns; /* of all of them */
	uint64_t
		exec_ns; /* from begin to end, of the tasks that were not contracted into another */
	uint64_t create_ns, end_ns; /* of the first to be created, and the last to end */
	bool on_path;		    /* a strand is on the ready path */
};

enum fork_edge_type { FORKS_CREATE, FORKS_JOINS, FORKS_CONTINUE, FORKS_DEPEND, FORKS_EDGE_TYPES };
extern const char *const fork_edge_name[FORKS_EDGE_TYPES]; /* "create", .. */

struct fork_edge {
	uint32_t from, to;
	enum fork_edge_type type;
	uint64_t n; /* tasks that it stands for */
};

struct forks {
	struct fork_node *node;
	struct fork_edge *edge;
	uint32_t n_nodes, n_edges, depth;
	uint64_t node_room, edge_room;
	uint64_t most_work_ns; /* of a node */
	uint64_t n_contracted; /* tasks that have no node of their own */
};

/* With at most so many nodes, if that is possible; 0: all. */
void forks_build(struct forks *graph, const struct export *export, uint32_t n_most);
void forks_free(struct forks *graph); /* a zeroed one is fine */

#define FORKS_LABEL (EXPORT_NAME + 100)
/* Of a task its name, how many it stands for, and their work; "^" and "*" of forks and joins. */
const char *fork_label(const struct export *export, const struct fork_node *node,
		       char out[FORKS_LABEL]);

/* Green and coral; of a task from red to blue, by its parallel benefit; grey: not known. */
const char *fork_color(const struct export *export, const struct fork_node *node);

/* As in the grain-graph prototype: a task's height is its work in ten steps.  In points. */
unsigned fork_width(const struct fork_node *node);
unsigned fork_height(const struct forks *graph, const struct fork_node *node);

/* SPDX-License-Identifier: MIT */
/*
 * lineage.h - which task of a run is which task of another: the chain of child numbers from the
 * root [grain graphs, Muddukrishna et al. 2016], "R-2-1-7".
 *
 * A task's number is how many its parent had created before it.  The members of a team (implicit
 * tasks) count as one: who of them executes a `single` is chance.  Where
 * strands of several of them that create tasks overlap in time, as no barrier is between, their
 * tasks' numbers are chance, too, and these, and all below them, are left out; so are members,
 * chunks of a loop, tasks whose creation was not seen, and collapsed ones.
 */
#pragma once

#include <stdint.h>
#include "tools/dag/dag.h"

#define LINEAGE_COUNTS 1u /* is to be compared */
#define LINEAGE_STOLEN 2u /* began on another worker than the one that created it */
#define LINEAGE_CHANCE 4u /* its children's numbers are chance */
#define LINEAGE_MEMBER 8u /* of a team, which is its parent and has its children */

/* A task or, from n_tasks on, a team. */
struct lineage_task {
	uint64_t key;	  /* of the chain */
	uint64_t work_ns; /* its own */
	uint32_t parent;  /* LINEAGE_NONE for a root */
	uint32_t number;  /* among the parent's children, from 1 */
	uint32_t n_children;
	task_id creator; /* of the last child of a team */
	kind_id kind;
	uint16_t worker; /* that it began on */
	uint8_t flags;
};
#define LINEAGE_NONE UINT32_MAX

struct lineage {
	struct lineage_task *task;
	uint32_t n_tasks, n; /* with teams */
	uint64_t room;
	uint32_t *order; /* those that count, by key: n_ordered */
	uint32_t n_ordered;
	uint64_t n_explicit; /* tasks of the run without roots and members; collapsed ones, too */
	uint64_t n_collapsed;
	uint32_t n_roots;
};

void lineage_build(struct lineage *lineage, const struct dag *dag);
void lineage_free(struct lineage *lineage);			   /* a zeroed one is fine */

/* "R-2-1-7"; of a long chain its end.  Returns out. */
#define LINEAGE_PATH 160
char *lineage_path(char out[LINEAGE_PATH], const struct lineage *lineage, uint32_t task);

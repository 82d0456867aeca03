/* SPDX-License-Identifier: MIT */
/* kinds.h - how many tasks there are of each kind, and how long they are. */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

struct kind_facts {
	uint64_t n_tasks; /* created, whether they began or not */
	uint64_t n_begun;
	uint64_t n_called;		    /* of these, not collapsed: run at once, as asked for */
	uint64_t called_ns;		    /* what these worked */
	uint64_t min_ns, median_ns, max_ns; /* work of a task that began; lower median */
	uint64_t max_at_ns;		    /* when the longest began; KINDS_NOT_THERE: unknown */
};

#define KINDS_NOT_THERE UINT64_MAX

/*
 * Fills facts[0..dag->n_kinds-1].  Of a part that somebody asked for: only tasks that ran in it,
 * and only what they worked there.
 */
void kinds_of(const struct dag *dag, const struct select *select, struct kind_facts *facts);

/* By task: its work; KINDS_NOT_THERE for one that did not run in the selected part.  Freed by the
 * caller. */
uint64_t *kinds_work(const struct dag *dag, const struct select *select);
/* The sums of collapsed tasks there: made, of no task, if there are none. */
struct kind_collapsed *kinds_sums(struct kind_collapsed **there);

/* SPDX-License-Identifier: MIT */
/* kinds.h - how many tasks there are of each kind, and how long they are. */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

struct kind_facts {
	uint64_t n_tasks; /* created, whether they began or not */
	uint64_t n_begun;
	uint64_t min_ns, median_ns, max_ns; /* work of a task that began; lower median */
};

/*
 * Fills facts[0..dag->n_kinds-1].  Of a part that somebody asked for: only tasks that ran in it,
 * and only what they worked there.  0 or -ENOMEM.
 */
int kinds_of(const struct dag *dag, const struct select *select, struct kind_facts *facts);

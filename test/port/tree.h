/* SPDX-License-Identifier: MIT */
/* tree.h - a tree of tasks, as fib() makes it, each of which calls count_one() of the program. */
#pragma once

#include "test/port/port.h"

struct tree {
	struct port_task task;
	long n;
	bool is_task;
};
PORT_BODY(tree, struct tree)

static void count_one(void);

static void tree(struct tree *at)
{
	struct tree below[2];

	if (at->is_task)
		count_one();
	if (at->n < 2)
		return;
	PORT_OPEN(group);
	memset(below, 0, sizeof(below));
	below[0].n = at->n - 1;
	below[1].n = at->n - 2;
	below[0].is_task = below[1].is_task = true;
	PORT_CREATE(group, tree, &below[0]);
	PORT_CREATE(group, tree, &below[1]);
	PORT_WAIT(group);
	PORT_CLOSE(group);
}

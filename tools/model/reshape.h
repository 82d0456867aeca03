/* SPDX-License-Identifier: MIT */
/*
 * reshape.h - makes tasks of a graph calls, merges them, and has the long ones of a loop created
 * first.
 *
 *	called	a task whose work with all below it is less than a limit: its creator does that work
 *		before it goes on, and neither creation nor begin takes time.  A task that takes a
 *		lock, signals, forks a team, waits for another thread, depends on a task, stands for
 *		collapsed ones, or has such a task below it, is not called
 *	longest	of one task's children of a kind, between two of its waits, the first created takes
 *	first	over the longest work, and so on
 *	merged	of the same children every so many-th does the work of those created after it, which
 *		take no time: neither to be created, nor to be taken up
 *
 * Children that create, wait, depend or stand for collapsed ones are neither merged nor moved.
 */
#pragma once

#include "tools/model/graph.h"

/* Before other changes; graph->n_changed counts what was changed.  0 or -ENOMEM. */
int reshape(struct graph *graph, const struct changes *changes);

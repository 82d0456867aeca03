/* SPDX-License-Identifier: MIT */
/*
 * width.h - P: how many workers a process, and each of its runtimes, has.
 *
 * A runtime's P is what it said at most (teams may change size), or the most workers that were
 * there at once, if those are more: each from its first strand on, but not between the end of its
 * thread and the strand of another, nor once it came to its team's barrier and runs nothing.  So
 * teams of threads made in turn are as wide as one of them.  Where more threads than it said ran a
 * strand, those that ran only roots, or target tasks, are no workers: they submit and wait
 * (StarPU's main thread), or help the runtime (libomp's hidden helpers); what has no workers, like
 * MPI, is no runtime that such a thread could be a worker of.  Nor are those that made
 * others and waited for them, unless their tasks ran beside as many of the others as there ever
 * were; nor is a thread that says so itself.  Of a runtime with one worker, who submits counts as
 * another.  With one runtime, that is the process's P, too.  With several
 * that have tasks, a worker may be one of each (the main thread mostly is), and those of one may
 * sleep while the other works.  Then it is the largest of
 *
 *	each runtime's own P
 *	the CPUs that the process may use, if the runtimes' workers together are more
 *	the most strands that ran at one instant
 */
#pragma once

#include "tools/dag/dag.h"

struct defs;

/* Fills n_seen, n_workers, beside[] and runtime[] of a dag that has all else. */
void width_find(struct dag *dag, const struct defs *defs);

/* The most strands that run at one instant on workers. */
void width_most(const struct dag *dag, uint32_t *most);

/* The workers that ran nothing, and whose place no thread took that ran created tasks beside them.
 */
uint32_t width_never(const struct dag *dag);

/* The CPUs that the process could use; of older traces those of the machine; 0: not known. */
uint64_t width_cpus(const struct defs *defs);

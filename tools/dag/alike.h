/* SPDX-License-Identifier: MIT */
/*
 * alike.h - merges kinds of the same code: tasks of one piece of code, which several places create,
 * or of which a compiler made copies.
 *
 * A built graph has a kind for each site.  alike_join() merges those of the same code, and keeps
 * the graph as it was for `--by site`.
 */
#pragma once

#include "tools/dag/dag.h"

/*
 * code[k] <= k is the first kind of the same code, with a `what` and runtimes like its own.  The
 * graph has fewer kinds then, in the same order.  *apart is the graph as it was: it borrows all but
 * the arrays by kind from `dag`, which must outlive it.
 */
void alike_join(struct dag *dag, const kind_id *code, struct dag *apart);
void alike_free(struct dag *apart); /* a zeroed one is fine */

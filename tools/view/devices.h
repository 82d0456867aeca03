/* SPDX-License-Identifier: MIT */
/* devices.h - what devices did, and I/O, and the data that tasks use: on the program's word. */
#pragma once

#include "tools/view/columns.h"

/* In the meta block: names of each site of operations, and of its device. */
void operations_put_sites(FILE *out, const struct view_run *run);
/*
 * The column `operations`: of each which of these sites; how far it begins behind the one before,
 * and its length; its task and the kind of that, each and 1 more, 0: none is known; bytes.  Tasks
 * have their numbers in the trace.
 */
void operations_put(FILE *out, const struct view_run *run);
/*
 * The column `data`: of each use by a task that the page has how far the task's number is behind
 * the one before; upper and lower half of the object; access; memory and 1 more, 0: not said;
 * bytes.
 */
void operations_put_data(FILE *out, const struct view_run *run);

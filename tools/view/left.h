/* SPDX-License-Identifier: MIT */
/*
 * left.h - what a page that leaves strands out says of them (keep.h): their sums, by the strand on
 * the page that they hang below, and what of a task on the page is not there.
 */
#pragma once

#include <stdio.h>

struct view_run;

/*
 * Writes the columns
 *
 *	left		of each strand with something below it that is left out, and last of what
 *			hangs below none, as if by a strand behind all others: how far its number
 *			is behind the one before,
 *	left_tasks	tasks, those within collapsed ones too,
 *	left_strands	strands,
 *	left_start	when the first begins, after that strand's end,
 *	left_length	and how long after that the last ends,
 *	left_work	and what of that is not work of theirs
 *
 * and of each task
 *
 *	task_left	twice how many of its children are left out; 1 more if it is in
 *	task_life	how many strands of it are, by how much it ends behind the last that is not,
 *			their work, and how long before it began it was ready, and 1 more; 0: as its
 *			first strand says.
 */
void left_put(FILE *out, const struct view_run *run);

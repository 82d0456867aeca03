/* SPDX-License-Identifier: MIT */
/*
 * left.h - what a page that leaves strands out says of them: their sums, by the strand on the page
 * that they hang below (keep.h).
 */
#pragma once

#include <stdio.h>

struct view_run;

/*
 * The column `left`: of each strand with something below it that is left out, and last of what
 * hangs below none, as if by a strand behind all others: how far its number is behind the one
 * before; tasks, those within collapsed ones too; strands; their work; when the first begins, after
 * the run does, and how long after that the last ends.  0 or -ENOMEM.
 */
int left_put(FILE *out, const struct view_run *run);

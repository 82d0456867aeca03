/* SPDX-License-Identifier: MIT */
/*
 * hottest.h - the line that most of the tasks' CPU time is at, by stack samples.
 *
 * That is no loss: it says where to look when no finding does.
 */
#pragma once

#include "tools/analysis/findings/findings.h"
#include "tools/summary/code_rows.h"

struct hottest {
	double share;		   /* of the samples of tasks; 0: no line has most of them */
	const struct place *place; /* that has most of it: the user's, if that is known; borrowed */
	const char *called;	   /* what most of these are in, called from there; NULL */
	bool is_memory;		   /* all that allocates or copies memory; `place` may be NULL */
};

struct hottest hottest_find(const struct code_rows *rows);
/* Adds to findings whose cure divides code, or begins it earlier, what of it takes most of the
 * kind's CPU time: the facts hot, hot_at and hot_in.  They borrow from the rows. */
void hottest_tell(struct findings *findings, struct code_rows *rows);

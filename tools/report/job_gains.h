/* SPDX-License-Identifier: MIT */
/*
 * job_gains.h - what the cures of a job's findings bring: its calls replayed (job_replay.h) with
 *
 *	late ranks	the tasks of the kind beside the call that was late: of that rank, or if
 *			ranks are late in turn, of all
 *	more work	also with them shared out evenly among the ranks; the better of both counts
 *	small messages	no time of their own for those of the callers
 *
 * Other findings keep the gain of their rank.  Each lost FINDING_SHARE at least: there are few.
 */
#pragma once

struct job;

/* Of ranks on one clock. */
void job_gains_find(struct job *job);

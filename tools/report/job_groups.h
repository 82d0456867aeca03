/* SPDX-License-Identifier: MIT */
/*
 * job_groups.h - a job by rank, by host and by phase, as tables.
 *
 * A process without a rank is a group of its own among the ranks.
 */
#pragma once

#include "tools/report/job.h"
#include "tools/table/table.h"

/* Yours to table_close(); it borrows from both. */
struct table job_groups_table(const struct processes *all, const struct job *job, bool by_host);
/* How even the ranks' work is in each phase. */
struct table job_phases_table(const struct processes *all);

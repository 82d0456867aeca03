/* SPDX-License-Identifier: MIT */
/*
 * job_page.h - a job of many processes as one page, all on one clock: findings of the job, a row
 * for each process and its workers by state, and pages of processes alone as far as they fit.
 *
 * What the page has of a process is text that is made from its run alone, wherever that is read.
 */
#pragma once

#include "tools/run/identity.h"
#include "tools/view/columns.h"

struct view_wanted;
struct found;
struct job_waits;
struct job_rank;

#define JOB_PAGE_BYTES 15000000u /* a page that can be mailed; pages of processes stop there */
#define JOB_PAGES 64u		 /* of processes: as many as the page shows in rows of their own */

/* The members of JSON that the page has of a process: workers, states, phases, .. */
void job_put_about(FILE *out, const struct view_run *run, const struct view_wanted *wanted,
		   uint32_t n_bins);
/* Bins by worker, of a job of so many processes: a power of two, so that all rows have room. */
uint32_t job_bins(const struct view_run *run, uint32_t n_processes);

struct job_process {
	struct identity id;
	const char *path; /* borrowed */
	uint64_t begin_ns;
	uint32_t clock; /* that this is on: equal numbers can be compared */
	char *about;	/* job_put_about() */
	char *states;	/* bins_put_states() */
	char *blocks;	/* view_put_blocks(); NULL: no page of its own */
};

struct job_page {
	const struct job_process *process; /* n */
	const uint32_t *order;		   /* n: whose blocks are wanted first */
	uint32_t n;
	const struct found *found; /* n_found: the findings in words */
	uint32_t n_found;
	const char *source; /* folder of source files; NULL: where the traces say */
	const struct job_waits *waits;
	const struct job_rank *rank; /* n_ranks: those that `waits` names */
	uint32_t n_ranks;
	/* JSON of `report --json` for all: its "total". */
	void (*put_total)(FILE *out, const void *context);
	const void *context;
};

/* Writes the page. */
void job_put(FILE *out, const struct job_page *page);

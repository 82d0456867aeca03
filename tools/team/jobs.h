/* SPDX-License-Identifier: MIT */
/*
 * jobs.h - which traces are of one job: all processes that one run of a program consisted of.
 *
 * Two traces are of one job if they were recorded under one name (TPTRACE_JOB, which record sets),
 * by one launcher of ranks, as parent and child, or at the same time as different ranks or as
 * children of one process.  They are not if the same rank is in both, if names differ, or if none
 * of that is so.  Of traces that do not say who they are of, nothing is known.
 */
#pragma once

#include "tools/trace/reader.h"
#include "tools/team/inputs.h"

struct job_facts {
	char *job;	/* its name; NULL */
	char *launcher; /* what the launcher of ranks calls it; NULL */
	uint64_t ppid;
	uint64_t began_ns, ended_ns; /* on the host's clock; 0: not known */
	uint64_t recorded;	     /* s since 1970; 0: not known */
};

enum jobs_rest {
	JOBS_REST_TOGETHER, /* if no two traces are known to be of different jobs, all are of one */
	JOBS_REST_APART	    /* traces of which nothing is known are jobs by themselves */
};

void job_facts_of(struct job_facts *facts, const struct reader *reader);
void job_facts_free(struct job_facts *facts);

/* Numbers the jobs from 0 on, in the order of the inputs, into at[].job; how many there are. */
uint32_t jobs_find(struct inputs *inputs, enum jobs_rest rest);

/* SPDX-License-Identifier: MIT */
/*
 * view_job.h - the traces of a job as one page (tools/view/job_page.h).
 *
 * Each trace is read in a process of its own (team.h), which hands over what the page has of it.
 * Where not every process gets a page of its own, those that do are read once more for it.
 */
#pragma once

#include <stdio.h>

#include "tools/team/inputs.h"
#include "tools/team/team.h"
#include "tools/view/view.h"

struct job_request {
	const char *output;
	struct view_wanted wanted; /* strands in full: of each process */
	uint32_t n_processes;
	unsigned parts; /* what is handed over now; view_job() says so */
};

/* The work on one of them; context is the request. */
int view_job_piece(void *context, const char *path, FILE *result);

/* The exit status.  Closes the team. */
int view_job(struct job_request *request, struct team *team, struct inputs *inputs);

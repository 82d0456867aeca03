/* SPDX-License-Identifier: MIT */
/*
 * report_many.h - the reports of several traces, and of all of them together.
 *
 * Each trace is read in a process of its own, here or on other ranks of mpirun (team.h).
 */
#pragma once

#include "tools/cmd/report_one.h"
#include "tools/team/team.h"

/* The work on one of them; context is the request. */
int report_piece(void *context, const char *path, FILE *result);

/* The exit status.  The arguments name traces, and directories of traces.  Closes the team. */
int report_many(struct request *request, struct team *team, char **argument, int n);

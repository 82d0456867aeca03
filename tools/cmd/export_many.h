/* SPDX-License-Identifier: MIT */
/*
 * export_many.h - the exports of several traces: a file, or folder, for each.
 *
 * Each is made in a process of its own, here or on other ranks of mpirun (team.h), by the one that
 * reads the trace.
 */
#pragma once

#include "tools/team/team.h"

/* "there/run.sqlite" for "traces/run.tpt", "there/run.1.sqlite" for "traces/run.tpt.1"; `there` may
 * be NULL.  Yours to free(); NULL if out of memory. */
char *export_path(const char *there, const char *path, const char *suffix);

/* The exit status.  The arguments name traces, and directories of traces; `there` is a directory,
 * which is made if it does not exist, or NULL.  Closes the team. */
int export_many(struct team *team, char **argument, int n, const char *there, const char *suffix);

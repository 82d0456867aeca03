/* SPDX-License-Identifier: MIT */
/*
 * report_many.h - the reports of several traces, and of all of them together.
 *
 * Each trace is read in a process of its own, here or on other ranks of mpirun (crew.h).
 */
#pragma once

#include "tools/cmd/report_one.h"
#include "tools/cmd/seat.h"

/* The exit status.  The arguments name traces, and directories of traces. */
int report_many(struct report_request *request, char **argument, int n);

/*
 * The same for a rank of mpirun, of one trace, too: rank 0 prints; the others help it, and return
 * 0. argv is the whole call; its arguments are those from `first` on, up to NULL.
 */
int report_on_ranks(struct report_request *request, char **argv, int first, struct seat seat);

/* SPDX-License-Identifier: MIT */
/*
 * seat.h - which of the processes that mpirun started this one is.
 *
 * The variables of mpirun are also there for whatever a script of a rank starts, where each process
 * is by itself, and where other ranks may start nothing.  So they count only in a process that
 * mpirun itself started.  TPTRACE_MPI=on makes them count, and Slurm's, in any process; off in
 * none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct seat {
	uint32_t rank, n; /* n is 1 for a process by itself */
	bool launched;	  /* by mpirun: stdout is a terminal then, wherever mpirun's goes */
};

#define SEAT_VARIABLE "TPTRACE_MPI"

struct seat seat_find(void);

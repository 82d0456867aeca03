/* SPDX-License-Identifier: MIT */
/* serial.c - a library between a program and MPI: its sends take 5 ms each, one at a time;
 * -DREPAIR: all at once. */
#include <mpi.h>
#include <stdatomic.h>
#include <unistd.h>

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	static atomic_flag inside = ATOMIC_FLAG_INIT;
	int error;

#ifndef REPAIR
	while (atomic_flag_test_and_set(&inside))
		usleep(100);
#endif
	usleep(5000);
	error = PMPI_Send(buffer, n, type, to, tag, comm);
	atomic_flag_clear(&inside);
	return error;
}

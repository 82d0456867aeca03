/* SPDX-License-Identifier: MIT */
/* full.c - messages of more tags than the recorder has orders for, and then new communicators, with
 * a barrier on each. */
#include <mpi.h>

enum { TAGS = 6000, COMMS = 4 };

int main(int argc, char **argv)
{
	MPI_Comm comm[COMMS];
	int rank, x = 0, y;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < TAGS; i++)
		MPI_Sendrecv(&x, 1, MPI_INT, rank, i, &y, 1, MPI_INT, rank, i, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	for (int i = 0; i < COMMS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	for (int i = 0; i < COMMS; i++)
		MPI_Barrier(comm[i]);
	MPI_Finalize();
	return 0;
}

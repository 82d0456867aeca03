/* SPDX-License-Identifier: MIT */
/*
 * freed.c - communicators are freed while receives on them, from anybody, are pending; others of
 * fewer ranks come in their place before the messages do.  Two ranks, in reversed order.
 */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 5 };

static int rank;

static void pass_on(void)
{
	MPI_Comm comm, other;
	MPI_Request request;
	int got = -1;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
	MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &request);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(&rank, 1, MPI_INT, rank, 3, comm); /* to the other one */
	MPI_Comm_free(&comm);
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &other);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&other);
	if (got != !rank)
		exit(9);
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	for (int i = 0; i < ROUNDS; i++)
		pass_on();
	MPI_Finalize();
	return 0;
}

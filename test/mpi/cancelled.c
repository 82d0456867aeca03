/* SPDX-License-Identifier: MIT */
/* cancelled.c - a receive is cancelled, completed or freed, and then messages of its tag come; and
 * one that is cancelled too late.  To the own rank. */
#include <mpi.h>
#include <stdlib.h>

static int rank;

static void receive(void)
{
	int x = rank, got = -1;

	MPI_Sendrecv(&x, 1, MPI_INT, rank, 5, &got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (got != rank)
		exit(9);
}

static void cancel_all(void)
{
	MPI_Request request[2];
	MPI_Status status;
	int x, late = -1, done = 0;

	MPI_Irecv(&x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request[0]);
	MPI_Cancel(&request[0]);
	MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	receive();
	MPI_Irecv(&x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request[1]);
	MPI_Cancel(&request[1]);
	MPI_Cancel(&request[0]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	receive();
	MPI_Irecv(&x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request[0]);
	MPI_Cancel(&request[0]);
	MPI_Request_free(&request[0]);
	receive();
	MPI_Irecv(&late, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request[0]);
	MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
	while (!done)
		MPI_Request_get_status(request[0], &done, &status);
	MPI_Cancel(&request[0]);
	MPI_Wait(&request[0], &status);
	MPI_Test_cancelled(&status, &done);
	if (done || late != rank)
		exit(8);
	receive();
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	cancel_all();
	MPI_Finalize();
	return 0;
}

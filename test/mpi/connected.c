/* SPDX-License-Identifier: MIT */
/* connected.c - rank 1 connects to rank 0, and both exchange messages by that. */
#include <mpi.h>

enum { TAG = 3, TURNS = 4 };

static int rank;

static MPI_Comm connect_both(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm between;

	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
		MPI_Close_port(port);
	} else {
		MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
	}
	return between;
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	{
		MPI_Comm between = connect_both();
		int x = rank, y;

		for (int i = 0; i < TURNS; i++)
			MPI_Sendrecv(&x, 1, MPI_INT, 0, TAG, &y, 1, MPI_INT, 0, TAG, between,
				     MPI_STATUS_IGNORE);
		MPI_Barrier(between);
		MPI_Comm_disconnect(&between);
	}
	MPI_Finalize();
	return 0;
}

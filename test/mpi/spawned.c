/* SPDX-License-Identifier: MIT */
/* spawned.c - two ranks spawn two more; both pairs do the same among themselves, and send what the
 * others receive. */
#include <mpi.h>

static MPI_Comm parent, between;

int main(int argc, char **argv)
{
	int got, rank, x = 0, y;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	between = parent;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	{
		if (parent == MPI_COMM_NULL)
			MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
				       &between, MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 3; i++)
			MPI_Sendrecv(&x, 1, MPI_INT, !rank, 1, &y, 1, MPI_INT, !rank, 1,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 2; i++)
			MPI_Sendrecv(&x, 1, MPI_INT, !rank, 2, &y, 1, MPI_INT, !rank, 2, between,
				     MPI_STATUS_IGNORE);
		MPI_Barrier(between);
		MPI_Comm_disconnect(&between);
	}
	MPI_Finalize();
	return 0;
}

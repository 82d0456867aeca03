/* SPDX-License-Identifier: MIT */
/* late.c - rank 1 waits for a message that rank 0 sends after its tasks; says for how many ns. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int rank;

static long exchange(void)
{
	double begin = MPI_Wtime();
	int x = 0;

	if (rank)
		MPI_Recv(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	return (long)((MPI_Wtime() - begin) * 1e9);
}

int main(int argc, char **argv)
{
	int provided;
	long ns = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 4; i++) {
#pragma omp task /* the late tasks */
			usleep(rank ? 100 : 300000);
		}
#pragma omp taskwait
#pragma omp task shared(ns)
		ns = exchange();
#pragma omp taskwait
#pragma omp task
		usleep(100);
	}
	if (rank)
		printf("%ld\n", ns);
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * killed.c - killed STAGE: two ranks run a task, and exchange TURNS messages in another one.  Rank
 * 1 kills itself: before MPI_Init ("init"), while rank 0 waits for it ("wait"), or as it would come
 * to MPI_Finalize ("finalize").
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 5 };

/* Before MPI_Init nobody says who is rank 1, but what started it. */
static int is_second(void)
{
	const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *mpich = getenv("PMI_RANK");

	return atoi(open_mpi ? open_mpi : mpich ? mpich : "0") == 1;
}

static void work(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
}

int main(int argc, char **argv)
{
	int got, second = is_second(), x = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	work();
	if (second && strcmp(argv[1], "init") == 0)
		raise(SIGKILL);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier /* whoever is killed has a team of two */
#pragma omp single
#pragma omp task
		for (int i = 0; i < TURNS; i++) {
#pragma omp task
			work();
#pragma omp taskwait
			MPI_Sendrecv(&x, 1, MPI_INT, !second, 1, &y, 1, MPI_INT, !second, 1,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (second && i + 1 == TURNS && strcmp(argv[1], "wait") == 0)
				raise(SIGKILL);
			if (!second && i + 1 == TURNS && strcmp(argv[1], "wait") == 0)
				MPI_Recv(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	if (second && strcmp(argv[1], "finalize") == 0)
		raise(SIGKILL);
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * pending.c N SOURCE - N receives from itself, or from anybody (-1), are pending at once, and
 * nobody wants statuses.  A second thread has its own while the first is in MPI_Waitall. -DBETWEEN:
 * the library that such an MPI_Waitall goes through.
 */
#include <mpi.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void (*_Atomic once_called)(void); /* what the next MPI_Waitall calls first */

#ifdef BETWEEN
void (*_Atomic once_called)(void);

int MPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
	void (*call)(void) = atomic_exchange(&once_called, NULL);

	if (call)
		call();
	return PMPI_Waitall(n, request, status);
}
#else
enum { MOST = 20000 };

static int rank, source, n, to[2][MOST], from[2][MOST];
static _Atomic int turn;

static void receive(int thread)
{
	static MPI_Request request[2][MOST];

	for (int i = 0; i < n; i++)
		MPI_Irecv(&from[thread][i], 1, MPI_INT, source, thread, MPI_COMM_WORLD,
			  &request[thread][i]);
	for (int i = 0; i < n; i++)
		MPI_Send(&to[thread][i], 1, MPI_INT, rank, thread, MPI_COMM_WORLD);
	MPI_Waitall(n, request[thread], MPI_STATUSES_IGNORE);
}

static void let_other(void)
{
	atomic_store(&turn, 1);
	while (atomic_load(&turn) == 1)
		;
}

int main(int argc, char **argv)
{
	int got;

	n = atoi(argv[1]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	source = atoi(argv[2]) < 0 ? MPI_ANY_SOURCE : rank;
	atomic_store(&once_called, let_other);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		receive(0);
	} else {
		while (!atomic_load(&turn))
			;
		receive(1);
		atomic_store(&turn, 2);
	}
	MPI_Finalize();
	return 0;
}
#endif

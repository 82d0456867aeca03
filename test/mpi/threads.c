/* SPDX-License-Identifier: MIT */
/*
 * threads.c - while a thread's MPI_Wait has completed its request, and has not returned yet,
 * another thread receives by a request that is given the same handle; says how often it was the
 * same. -DBETWEEN: the library that such an MPI_Wait goes through.
 */
#include <mpi.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void (*_Atomic once_completed)(void); /* what the next MPI_Wait calls */

#ifdef BETWEEN
void (*_Atomic once_completed)(void);

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	int error = PMPI_Wait(request, status);
	void (*call)(void) = atomic_exchange(&once_completed, NULL);

	if (call)
		call();
	return error;
}
#else
enum { ROUNDS = 20 };

static int rank;
static _Atomic int turn; /* even: the first thread's */
static uintptr_t handle[2];

static void receive(int thread)
{
	int to = thread, from = -1;
	MPI_Request request;

	MPI_Irecv(&from, 1, MPI_INT, rank, thread, MPI_COMM_WORLD, &request);
	handle[thread] = (uintptr_t)request;
	MPI_Send(&to, 1, MPI_INT, rank, thread, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (from != to)
		exit(9);
}

static void let_other(void)
{
	int now = atomic_fetch_add(&turn, 1) + 1;

	while (atomic_load(&turn) == now)
		;
}

int main(int argc, char **argv)
{
	int got, same = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
	for (int i = 0; i < ROUNDS; i++) {
		if (omp_get_thread_num() == 0) {
			atomic_store(&once_completed, let_other);
			receive(0);
			same += handle[0] == handle[1];
		} else {
			while (atomic_load(&turn) != 2 * i + 1)
				;
			receive(1);
			atomic_store(&turn, 2 * i + 2);
		}
	}
	printf("%d %d\n", 2 * ROUNDS, same);
	MPI_Finalize();
	return 0;
}
#endif

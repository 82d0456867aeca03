/* SPDX-License-Identifier: MIT */
/*
 * freed.c - communicators are freed while receives on them, from anybody, are pending; others of
 * fewer ranks come in their place before the messages do.  Two ranks, in reversed order.
 * Then a second thread does that while the first one's MPI_Recv has received, and not yet returned.
 * -DBETWEEN: the library that such an MPI_Recv goes through.
 */
#include <mpi.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void (*_Atomic once_received)(void); /* what the next MPI_Recv calls */

#ifdef BETWEEN
void (*_Atomic once_received)(void);

int MPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	int error = PMPI_Recv(buffer, n, type, from, tag, comm, status);
	void (*call)(void) = atomic_exchange(&once_received, NULL);

	if (call)
		call();
	return error;
}
#else
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

static MPI_Comm reversed;
static _Atomic int turn;

static void let_other(void)
{
	atomic_store(&turn, 1);
	while (atomic_load(&turn) == 1)
		;
}

static void receive(void)
{
	int got = -1;

	atomic_store(&once_received, let_other);
	MPI_Send(&rank, 1, MPI_INT, rank, 3, reversed);
	MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, reversed, MPI_STATUS_IGNORE);
	if (got != !rank)
		exit(8);
}

static void free_meanwhile(void)
{
	MPI_Comm other;

	while (!atomic_load(&turn))
		;
	MPI_Comm_free(&reversed);
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &other);
	atomic_store(&turn, 2);
	MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	for (int i = 0; i < ROUNDS; i++)
		pass_on();
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		receive();
	else
		free_meanwhile();
	MPI_Finalize();
	return 0;
}
#endif

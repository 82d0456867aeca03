/* SPDX-License-Identifier: MIT */
/* detached.c - a thread in no task tests for what a detached task receives, and fulfills its event.
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static MPI_Request request;
static omp_event_handle_t to_fulfill;
static _Atomic int posted;

static void *poll(void *unused)
{
	int done = 0;

	while (!atomic_load(&posted))
		usleep(100);
	while (!done)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	omp_fulfill_event(to_fulfill);
	return unused;
}

static void receive(int *x)
{
	omp_event_handle_t event;

#pragma omp task detach(event) depend(out : x[0])
	{
		to_fulfill = event;
		MPI_Irecv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
		atomic_store(&posted, 1);
	}
#pragma omp task depend(in : x[0])
	usleep(1000);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int got, rank, x = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank)
		pthread_create(&thread, NULL, poll, NULL);
#pragma omp parallel num_threads(2)
#pragma omp single
	if (rank) {
		receive(&x);
	} else {
#pragma omp task
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
	if (rank)
		pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}

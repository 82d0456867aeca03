/* SPDX-License-Identifier: MIT */
/* detached.c - a thread in no task tests for what two detached tasks receive, and fulfills their
 * events: of one after its code has ended, of the other before. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static MPI_Request request;
static omp_event_handle_t to_fulfill;
static _Atomic int posted, fulfilled;

static void *poll(void *unused)
{
	for (int i = 1; i <= 2; i++) {
		int done = 0;

		while (atomic_load(&posted) != i)
			usleep(100);
		usleep(i == 1 ? 20000 : 0);
		while (!done)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		omp_fulfill_event(to_fulfill);
		atomic_store(&fulfilled, i);
	}
	return unused;
}

static void receive(int *x)
{
	omp_event_handle_t event;

	for (int i = 1; i <= 2; i++) {
#pragma omp task detach(event) depend(inout : x[0])
		{
			to_fulfill = event;
			MPI_Irecv(x, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request);
			atomic_store(&posted, i);
			while (i == 2 && atomic_load(&fulfilled) != i)
				usleep(100);
		}
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
		for (int i = 1; i <= 2; i++)
			MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
	}
	if (rank)
		pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}

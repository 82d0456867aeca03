/* SPDX-License-Identifier: MIT */
/*
 * ignored.c - calls with arguments that MPI ignores: what they hold may be nothing that MPI could
 * be asked about.  On two ranks, in tasks and outside of them; and a count and places that MPI
 * refuses.
 */
#include <mpi.h>
#include <stdio.h>

#define NOTHING MPI_DATATYPE_NULL

static int sum;

static void all(int rank)
{
	int a[2] = { 0 }, from[2] = { 0, 1 }, ones[2] = { 1, 1 }, at, flag;
	MPI_Comm world = MPI_COMM_WORLD;
	MPI_Request none[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL }, request;

	a[rank] = rank + 1;
	MPI_Allgather(MPI_IN_PLACE, 3, NOTHING, a, 1, MPI_INT, world);
	MPI_Allgatherv(MPI_IN_PLACE, 3, NOTHING, a, ones, from, MPI_INT, world);
	MPI_Alltoall(MPI_IN_PLACE, 3, NOTHING, a, 1, MPI_INT, world);
	MPI_Iallgather(MPI_IN_PLACE, 3, NOTHING, a, 1, MPI_INT, world, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 0) {
		MPI_Gather(MPI_IN_PLACE, 3, NOTHING, a, 1, MPI_INT, 0, world);
		MPI_Gatherv(MPI_IN_PLACE, 3, NOTHING, a, ones, from, MPI_INT, 0, world);
		MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, 3, NOTHING, 0, world);
		MPI_Scatterv(a, ones, from, MPI_INT, MPI_IN_PLACE, 3, NOTHING, 0, world);
		MPI_Reduce(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, 0, world);
	} else {
		MPI_Gather(a + 1, 1, MPI_INT, NULL, 3, NOTHING, 0, world);
		MPI_Gatherv(a + 1, 1, MPI_INT, NULL, NULL, NULL, NOTHING, 0, world);
		MPI_Scatter(NULL, 3, NOTHING, a, 1, MPI_INT, 0, world);
		MPI_Scatterv(NULL, NULL, NULL, NOTHING, a, 1, MPI_INT, 0, world);
		MPI_Reduce(a, NULL, 2, MPI_INT, MPI_SUM, 0, world);
	}
	MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, world);
	MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
	MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
	MPI_Waitall(2, none, MPI_STATUSES_IGNORE);
	MPI_Waitany(2, none, &at, MPI_STATUS_IGNORE);
	MPI_Testany(0, NULL, &at, &flag, MPI_STATUS_IGNORE);
	sum += a[0] + 10 * a[1] + 100 * flag;
}

/* How many calls are refused whose results have no place. */
static int refuse_null(void)
{
	MPI_Request request;
	int n = 0, x, at;

	MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request);
	n += MPI_Test(&request, NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS;
	n += MPI_Testany(1, &request, &at, NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS;
	n += MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
	n += MPI_Wait(NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS;
#ifndef OPEN_MPI /* it crashes */
	n += MPI_Comm_free(NULL) != MPI_SUCCESS;
#endif
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return n;
}

int main(int argc, char **argv)
{
	int provided, rank, refused;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	all(rank);
#pragma omp parallel
#pragma omp single
#pragma omp task
	all(rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	refused = MPI_Waitall(-1, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
#pragma omp parallel
#pragma omp single
#pragma omp task
	refused += refuse_null();
	printf("rank %d has %d, refused %d\n", rank, sum, refused);
	MPI_Finalize();
}

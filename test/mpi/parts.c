/* SPDX-License-Identifier: MIT */
/*
 * parts.c - a message to itself in parts, whose counts have 64 bits; says of how many bytes.
 * -DBETWEEN: a library that makes the counts small, as the message is really sent.
 */
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, REALLY = 2 };
#define LARGE ((MPI_Count)1 << 32 | REALLY)

#ifdef BETWEEN
int MPI_Psend_init(const void *buffer, int parts, MPI_Count n, MPI_Datatype type, int to, int tag,
		   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	return PMPI_Psend_init(buffer, parts, (int)n, type, to, tag, comm, info, request);
}

int MPI_Precv_init(void *buffer, int parts, MPI_Count n, MPI_Datatype type, int from, int tag,
		   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	return PMPI_Precv_init(buffer, parts, (int)n, type, from, tag, comm, info, request);
}
#else
static void pass(int rank)
{
	static int to[PARTS * REALLY], from[PARTS * REALLY];
	MPI_Request request[2];

	MPI_Precv_init(from, PARTS, LARGE, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &request[0]);
	MPI_Psend_init(to, PARTS, LARGE, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &request[1]);
	MPI_Startall(2, request);
	for (int i = 0; i < PARTS; i++)
		MPI_Pready(i, request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
}

int main(int argc, char **argv)
{
	int got, rank;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	pass(rank);
	printf("%lld\n", PARTS * LARGE * (long long)sizeof(int));
	MPI_Finalize();
	return 0;
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * logical.c - what a Fortran compiler whose .TRUE. is -1, as Intel's, makes of a program that tests
 * for a message to itself.  -DBETWEEN: the library with that compiler's binding.
 */
#include <mpi.h>
#include <stdlib.h>

void mpi_irecv_(void *buffer, const int *n, const MPI_Fint *type, const int *from, const int *tag,
		const MPI_Fint *comm, MPI_Fint *request, int *error);
void mpi_test_(MPI_Fint *request, int *flag, MPI_Fint *status, int *error);

#ifdef BETWEEN
void mpi_irecv_(void *buffer, const int *n, const MPI_Fint *type, const int *from, const int *tag,
		const MPI_Fint *comm, MPI_Fint *request, int *error)
{
	MPI_Request own;

	*error =
		PMPI_Irecv(buffer, *n, MPI_Type_f2c(*type), *from, *tag, MPI_Comm_f2c(*comm), &own);
	*request = MPI_Request_c2f(own);
}

void mpi_test_(MPI_Fint *request, int *flag, MPI_Fint *status, int *error)
{
	MPI_Request own = MPI_Request_f2c(*request);
	MPI_Status got;

	*error = PMPI_Test(&own, flag, &got);
	if (!*flag)
		return;
	*flag = -1;
	*request = MPI_Request_c2f(own);
	MPI_Status_c2f(&got, status);
}
#else
static void receive(int rank)
{
	MPI_Fint type = MPI_Type_c2f(MPI_INT), comm = MPI_Comm_c2f(MPI_COMM_WORLD), request;
	MPI_Fint status[16];
	int one = 1, tag = 5, error, flag = 0, x = -1;

	mpi_irecv_(&x, &one, &type, &rank, &tag, &comm, &request, &error);
	MPI_Send(&rank, 1, MPI_INT, rank, tag, MPI_COMM_WORLD);
	while (!flag)
		mpi_test_(&request, &flag, status, &error);
	if (flag != -1 || x != rank)
		exit(9);
}

int main(int argc, char **argv)
{
	int got, rank;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	receive(rank);
	MPI_Finalize();
	return 0;
}
#endif

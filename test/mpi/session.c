/* SPDX-License-Identifier: MIT */
/*
 * session.c - a communicator of a session is made and used after MPI_Finalize.
 * -DBETWEEN: a library that ends whoever asks about MPI_COMM_WORLD then, as MPI may do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

#ifdef BETWEEN
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	int (*real)(MPI_Comm, MPI_Group *) = dlsym(RTLD_NEXT, "PMPI_Comm_group");
	int is_over;

	PMPI_Finalized(&is_over);
	if (is_over && comm == MPI_COMM_WORLD)
		abort();
	return real(comm, group);
}
#else
int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int x = 1, sum;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(x, sum)
	MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
	MPI_Group_free(&group);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return sum != 1;
}
#endif

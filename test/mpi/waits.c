/* SPDX-License-Identifier: MIT */
/* waits.c FILE [N] - calls that wait and name nobody: to begin, split writing, large counts,
 * buffers, what is freed, spawning N. */
#include <mpi.h>
#include <stdlib.h>

static MPI_Comm parent, between;

static void write_file(const char *name)
{
	MPI_File file;
	int x = 1;

	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
		      &file);
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_all_begin(file, &x, 1, MPI_INT);
	MPI_File_write_all_end(file, &x, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
	int *exposed;
	MPI_Win window;

	MPI_File_write_at_c(file, 4, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_write_all_c(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Win_allocate_c(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
	MPI_Win_fence(0, window);
	MPI_Win_free(&window);
#endif
	MPI_File_close(&file);
}

static void free_all(void)
{
	static char buffer[MPI_BSEND_OVERHEAD];
	void *at;
	MPI_Comm comm;
	int n;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_free(&comm);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	MPI_Buffer_detach(&at, &n);
}

int main(int argc, char **argv)
{
	int got;

#pragma omp parallel num_threads(2)
	got = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_get_parent(&parent);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	if (parent == MPI_COMM_NULL) {
		write_file(argv[1]);
		free_all();
		if (argc > 2)
			MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, atoi(argv[2]), MPI_INFO_NULL, 0,
				       MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
	}
	MPI_Finalize();
	return 0;
}

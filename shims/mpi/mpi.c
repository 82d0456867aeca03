/* SPDX-License-Identifier: MIT */
/* mpi.c - finds MPI's functions, what differs between its implementations, and who calls. */
#include "shims/mpi/mpi.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "preload/libc.h"
#include "shims/common/next.h"

struct mpi_library mpi_library;

/* ---- the real functions ---- */

#define MPI_ERR_OTHER 15 /* both implementations' */

/* In the place of a function that this process does not have. */
static int missing(void)
{
	return MPI_ERR_OTHER;
}

static void look_up(void *slot, const void *from, const char *symbol)
{
	void *found = next_for(from, symbol);

	memcpy(slot, &found, sizeof(found));
}

/* Of a variable: the program may have the one that all use, copied from the library. */
static void fill_shared(void *slot, const void *from, const char *symbol)
{
	void *found = dlsym(RTLD_DEFAULT, symbol);

	if (!found)
		found = next_for(from, symbol);
	memcpy(slot, &found, sizeof(found));
}

static void know_mpich(struct mpi_library *library)
{
	library->comm_world = 0x44000000;
	library->comm_self = 0x44000001;
	library->comm_null = 0x04000000;
	library->any_source = -2;
	library->proc_null = -1;
	library->root = -3;
	library->status_ignore = 1;
	library->status_bytes = 20;
	library->source_at = 2;
}

static void know_open_mpi(struct mpi_library *library, const void *from)
{
	library->open_mpi = true;
	fill_shared(&library->comm_world, from, "ompi_mpi_comm_world");
	fill_shared(&library->comm_self, from, "ompi_mpi_comm_self");
	fill_shared(&library->comm_null, from, "ompi_mpi_comm_null");
	library->any_source = -1;
	library->proc_null = -2;
	library->root = -4;
	library->status_bytes = 24;
	look_up(&library->f2c[MPI_OF_COMM], from, "PMPI_Comm_f2c");
	look_up(&library->f2c[MPI_OF_WINDOW], from, "PMPI_Win_f2c");
	look_up(&library->request_f2c, from, "PMPI_Request_f2c");
	look_up(&library->group_f2c, from, "PMPI_Group_f2c");
}

/* By the functions that are asked, past other tools. */
static void know_library(const void *from)
{
	struct mpi_library *library = &mpi_library;

	if (next_for(from, "ompi_mpi_comm_world"))
		know_open_mpi(library, from);
	else
		know_mpich(library);
	fill_shared(&library->fortran_ignore[0], from, "MPI_F_STATUS_IGNORE");
	fill_shared(&library->fortran_ignore[1], from, "MPI_F_STATUSES_IGNORE");
	fill_shared(&library->f08_ignore[0], from, "MPIR_F08_MPI_STATUS_IGNORE_OBJ");
	fill_shared(&library->f08_ignore[1], from, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
	look_up(&library->type_size, from, "PMPI_Type_size");
	look_up(&library->fortran_type_size, from, "pmpi_type_size_");
	look_up(&library->f2c[MPI_OF_FILE], from, "PMPI_File_f2c");
	look_up(&library->initialized, from, "PMPI_Initialized");
	look_up(&library->finalized, from, "PMPI_Finalized");
	look_up(&library->test_cancelled, from, "PMPI_Test_cancelled");
	look_up(&library->request_get_status, from, "PMPI_Request_get_status");
	look_up(&library->group_of[MPI_OF_COMM], from, "PMPI_Comm_group");
	look_up(&library->group_of[MPI_OF_WINDOW], from, "PMPI_Win_get_group");
	look_up(&library->group_of[MPI_OF_FILE], from, "PMPI_File_get_group");
	look_up(&library->remote_group, from, "PMPI_Comm_remote_group");
	look_up(&library->comm_test_inter, from, "PMPI_Comm_test_inter");
	look_up(&library->comm_rank, from, "PMPI_Comm_rank");
	look_up(&library->comm_get_parent, from, "PMPI_Comm_get_parent");
	look_up(&library->group_size, from, "PMPI_Group_size");
	look_up(&library->group_translate, from, "PMPI_Group_translate_ranks");
	look_up(&library->group_free, from, "PMPI_Group_free");
}

void *mpi_bind(void *_Atomic *slot, const char *symbol, const void *from)
{
	static _Atomic uint32_t lock;
	static bool known;
	int saved = errno;
	void *found = next_for(from, symbol);

	libc_lock(&lock);
	if (!known)
		know_library(from);
	known = true;
	libc_unlock(&lock);
	if (!found)
		found = (void *)missing;
	atomic_store_explicit(slot, found, memory_order_release);
	errno = saved;
	return found;
}

uint32_t mpi_site(const void *from, const struct mpi_function *function)
{
	static struct next_library library = { .name = "MPI" };

	if (!library.version)
		library.version = mpi_library.open_mpi ? "Open MPI" : "MPICH";
	return next_site(&library, from, function->name);
}

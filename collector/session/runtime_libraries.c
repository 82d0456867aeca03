/* SPDX-License-Identifier: MIT */
/* runtime_libraries.c - the table. */
#include "collector/session/runtime_libraries.h"

#include <stddef.h>
#include <string.h>

/* By how the file's name begins, a longer one first; it may be libgomp-a34b3233.so.1. */
static const struct runtime_library library[] = {
	{ "libgomp", "libgomp", true },	      { "libomp.so", "libomp", true },
	{ "libomp5", "libomp", true },	      { "libiomp5", "libomp", true },
	{ "libtbb.so.12", "oneTBB", true },   { "libtbb.so", "classic TBB", false },
	{ "libqthread", "Qthreads", true },   { "libmyth", "MassiveThreads", true },
	{ "libstarpu-", "StarPU", true },     { "libcilkrts", "Cilk Plus", true },
	{ "libopencilk", "OpenCilk", false }, { "libomp-", "libomp", true },
	{ "libhpx", "HPX", false },	      { "libabt", "Argobots", true },
	{ "libnanos6", "OmpSs-2", false },    { "libnodes", "OmpSs-2", false },
	{ "libparsec", "PaRSEC", false },     { "librealm", "Legion", false },
};

const struct runtime_library *runtime_library(const char *file)
{
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (strncmp(file, library[i].file, strlen(library[i].file)) == 0)
			return &library[i];
	return NULL;
}

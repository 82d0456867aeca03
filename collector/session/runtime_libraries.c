/* SPDX-License-Identifier: MIT */
/* runtime_libraries.c - the table. */
#include "collector/session/runtime_libraries.h"

#include <stddef.h>
#include <string.h>

/* By how the file's name begins: a longer one stands before what it begins with. */
static const struct runtime_library library[] = {
	{ "libgomp.so", "libgomp", true },     { "libomp.so", "libomp", true },
	{ "libomp5.so", "libomp", true },      { "libiomp5.so", "libomp", true },
	{ "libtbb.so.12", "oneTBB", true },    { "libtbb.so", "classic TBB", false },
	{ "libqthread.so", "Qthreads", true }, { "libmyth", "MassiveThreads", true },
	{ "libstarpu-", "StarPU", true },      { "libcilkrts.so", "Cilk Plus", true },
	{ "libopencilk", "OpenCilk", false },  { "libhpx_core.so", "HPX", false },
	{ "libhpx.so", "HPX", false },	       { "libabt.so", "Argobots", true },
	{ "libnanos6", "OmpSs-2", false },     { "libnodes.so", "OmpSs-2", false },
	{ "libparsec.so", "PaRSEC", false },   { "librealm.so", "Legion", false },
};

const struct runtime_library *runtime_library(const char *file)
{
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (strncmp(file, library[i].file, strlen(library[i].file)) == 0)
			return &library[i];
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * early.c - libomp ends before the program does, or does not.  `hard`, `soft`: a pause between two
 * regions of 100 tasks; `none`: no pause; else a plugin, which alone runs tasks and is unloaded
 * with libomp, if this program is built without.
 */
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#pragma weak omp_pause_resource_all

static __attribute__((noinline)) void region(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 100; i++) {
#pragma omp task
		__asm__ volatile("");
	}
}

static int plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	long (*run)(void) = handle ? (long (*)(void))dlsym(handle, "unload_run") : NULL;

	return !run || run() != 4950 || dlclose(handle);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "none";

	if (strchr(way, '/'))
		return plugin(way);
	region();
	if (strcmp(way, "hard") == 0 && omp_pause_resource_all(omp_pause_hard))
		return 1;
	if (strcmp(way, "soft") == 0 && omp_pause_resource_all(omp_pause_soft))
		return 1;
	region();
	return 0;
}

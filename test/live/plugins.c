/* SPDX-License-Identifier: MIT */
/* plugins.c - loads each of the given plugins, has it run 100, 200, .. tasks, and unloads it. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	omp_set_num_threads(2); /* and libgomp stays, whose threads do */
	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW);
		void (*run)(int) = plugin ? (void (*)(int))dlsym(plugin, "plugin_run") : NULL;

		if (!run)
			return 1;
		printf("%p\n", (void *)run);
		run(100 * i);
		if (dlclose(plugin))
			return 1;
	}
	return 0;
}

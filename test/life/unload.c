/* SPDX-License-Identifier: MIT */
/*
 * unload.c HOW N PLUGIN.. - loads each plugin, has it run tasks and unloads it, N times; then ends
 * at once, by return or exit(), and prints what the plugins computed.
 *
 * The host has no runtime of its own: each runtime comes and goes with its plugin.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	long sum = 0;

	for (int i = 0; i < atoi(argv[2]); i++)
		for (int k = 3; k < argc; k++) {
			void *plugin = dlopen(argv[k], RTLD_NOW | RTLD_LOCAL);
			long (*run)(void) =
				plugin ? (long (*)(void))dlsym(plugin, "unload_run") : NULL;

			if (!run)
				return puts(dlerror()), 77;
			sum += run();
			if (dlclose(plugin))
				return 1;
		}
	printf("%ld\n", sum);
	fflush(stdout);
	if (strcmp(argv[1], "exit") == 0)
		exit(45);
	return 45;
}

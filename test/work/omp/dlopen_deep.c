/* SPDX-License-Identifier: MIT */
/* A plugin opened with RTLD_DEEPBIND beside a program that uses libgomp too: the plugin's calls go
 * past the tracer, and its tasks cannot be in the trace. */
// flags: -ldl
// plugin: gomp_plugin_so.c
#include <dlfcn.h>
#include <stdio.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
	void *so = dlopen("gomp_plugin_so.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	long (*plugin_run)(int, int, int *);
	long sum = 0, own = 0;
	int n_team = 0;

	if (!so)
		return 1;
	plugin_run = (long (*)(int, int, int *))dlsym(so, "plugin_run");
	for (int k = 0; k < 3; k++) {
		sum += plugin_run(3, 100, &n_team);
		own += sum_in_tasks(20);
	}
	dlclose(so);
	printf("sum %ld own %ld team %d\n", sum, own, n_team);
	return sum != 3 * 4950 || own != 570;
}

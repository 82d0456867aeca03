/* SPDX-License-Identifier: MIT */
/* libgomp comes only with a plugin, dlopen(RTLD_LOCAL): RTLD_NEXT of the tracer finds no
 * GOMP_task. */
// flags: -fno-openmp -ldl
// plugin: gomp_plugin_so.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *so = dlopen("gomp_plugin_so.so", RTLD_NOW | RTLD_LOCAL);
	long (*plugin_run)(int, int, int *);
	long sum;
	int n_team = 0;

	if (!so) {
		printf("%s\n", dlerror());
		return 1;
	}
	if (dlsym(RTLD_DEFAULT, "omp_get_thread_num"))
		printf("omp_get_thread_num is global\n");
	plugin_run = (long (*)(int, int, int *))dlsym(so, "plugin_run");
	sum = plugin_run(3, 100, &n_team);
	printf("sum %ld team %d\n", sum, n_team);
	printf("tptrace-tasks 200\n");
	return sum != 4950 || n_team != 3;
}

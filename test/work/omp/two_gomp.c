/* SPDX-License-Identifier: MIT */
/* Two copies of libgomp in one process, each with a plugin: a call of one plugin must reach its own
 * copy, whose number of threads the other does not set. */
// not-on: libomp
// flags: -fno-openmp -ldl
// plugin: gomp_plugin_so.c
// plugin-other-gomp: gomp_plugin_so.c
#include <dlfcn.h>
#include <stdio.h>

typedef long (*run_fn)(int, int, int *);

static run_fn plugin_load(const char *name)
{
	void *so = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!so) {
		printf("%s\n", dlerror());
		return NULL;
	}
	return (run_fn)dlsym(so, "plugin_run");
}

int main(void)
{
	run_fn a = plugin_load("gomp_plugin_so.so");
	run_fn b = plugin_load("other_gomp_plugin_so.so");
	int team[4] = { 0 };
	long sum;

	if (!a || !b)
		return 1;
	sum = a(2, 50, &team[0]) + b(3, 60, &team[1]);
	sum += a(0, 70, &team[2]) + b(0, 80, &team[3]);
	printf("teams %d %d %d %d sum %ld\n", team[0], team[1], team[2], team[3], sum);
	printf("tptrace-tasks %d\n", 2 * (50 + 60 + 70 + 80));
	return team[0] != 2 || team[1] != 3 || team[2] != 2 || team[3] != 3 || sum != 8570;
}

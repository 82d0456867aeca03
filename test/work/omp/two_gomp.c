/* SPDX-License-Identifier: MIT */
/* Two copies of libgomp in one process, and LLVM's runtime by the name of Intel's, each with a
 * plugin: its calls must reach its own copy, whose number of threads the others do not set. */
// not-on: libomp
// flags: -fno-openmp -ldl
// plugin: gomp_plugin_so.c
// plugin-gomq: gomp_plugin_so.c
// plugin-iomp5: gomp_plugin_so.c
// expect: sorted(x["name"] for x in r["runtimes"]) == ["libgomp", "libgomp", "libomp"]
// expect: sorted(x["tasks"] for x in r["runtimes"]) == [264, 306, 348]
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	static const char *const name[] = { "gomp_plugin_so.so", "gomq_gomp_plugin_so.so",
					    "iomp5_gomp_plugin_so.so" };
	long sum = 0;
	int bad = 0;

	for (int i = 0; i < 6; i++) {
		void *so = dlopen(name[i % 3], RTLD_NOW | RTLD_LOCAL);
		long (*run)(int, int, int *) = so ? dlsym(so, "plugin_run") : NULL;
		int team = 0;

		sum += run ? run(i < 3 ? 2 + i : 0, 50 + 10 * i, &team) : -1;
		bad += team != 2 + i % 3;
	}
	printf("bad %d sum %ld\n", bad, sum);
	printf("tptrace-tasks %d\n", 2 * (50 + 60 + 70 + 80 + 90 + 100));
	return bad || sum != 17525;
}

// SPDX-License-Identifier: MIT
// flags: -ldl -Wl,--as-needed
// plugin: spawning.c
// A program that is not linked to the runtime opens a module that is.
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *module = dlopen("spawning.so", RTLD_NOW | RTLD_LOCAL);
	long (*spawning)(long) = module ? (long (*)(long))dlsym(module, "spawning") : NULL;

	if (!spawning) {
		puts(dlerror());
		return 1;
	}
	printf("%ld\n", spawning(15));
	puts("tptrace-tasks 986");
	return 0;
}

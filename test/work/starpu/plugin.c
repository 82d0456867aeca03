/* SPDX-License-Identifier: MIT */
/* StarPU that only a plugin is linked to, opened by a program that is not. */
// plugin: plugin_so.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void *plugin;
	long (*run)(int);

	if (n < 0)
		return 1;
	path[n] = 0;
	strcpy(strrchr(path, '/'), "/plugin_so.so");
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	run = (long (*)(int))dlsym(plugin, "plugin_run");
	printf("%ld\n", run(20));
	printf("tptrace-tasks 20\n");
	return 0;
}

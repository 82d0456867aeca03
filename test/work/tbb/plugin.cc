// SPDX-License-Identifier: MIT
// A program without oneTBB opens plugins that use it, closes them, and opens others in their place.
// flags: -ldl
// plugin: plugin_a.cc
// plugin: plugin_b.cc
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <libgen.h>
#include <string>
#include <unistd.h>

int main()
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n] = 0;
	std::string folder = dirname(path);
	void *runtime = dlopen("libtbb.so.12", RTLD_NOW | RTLD_LOCAL); /* its threads stay */

	for (int round = 0; round < 6; round++) {
		std::string file = folder + (round % 2 ? "/plugin_b.so" : "/plugin_a.so");
		void *plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);

		if (!plugin) {
			std::printf("%s\n", dlerror());
			return 1;
		}
		auto run = (long (*)(int))dlsym(plugin, "plugin_run");
		std::printf("%d: %ld\n", round, run(20));
		dlclose(plugin);
	}
	std::printf("tptrace-tasks 120\n");
	return runtime == nullptr;
}

// plugin: plugged.c
// flags: -ldl
/* plugin.c - only a plugin is linked to the library, which nobody else can see */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char path[4096];
	void *plugin;
	int (*run)(void);

	snprintf(path, sizeof(path), "%s", argv[0]);
	strcat(dirname(path), "/plugged.so");
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	*(void **)&run = dlsym(plugin, "run");
	printf("%d\n", run());
	printf("tptrace-tasks 100\n");
	return 0;
}

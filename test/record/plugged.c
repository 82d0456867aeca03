/* SPDX-License-Identifier: MIT */
/*
 * plugged.c LIBRARY - runs the main() of a program that was made a library; only that is linked to
 * a runtime.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*run)(void) = library ? (int (*)(void))dlsym(library, "plugged") : NULL;

	if (!run)
		fprintf(stderr, "%s\n", dlerror());
	return run ? run() : 2;
}

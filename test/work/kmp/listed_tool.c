/* SPDX-License-Identifier: MIT */
/* A tool that OMP_TOOL_LIBRARIES names, behind one that there is not. */
// needs: clang
// expect: "another tool" in [x["note"] for x in r["runtimes"] if x["name"] == "libomp"][0]
// expect: [x["what"] for x in r["losses"]] == ["calls"]
// plugin: other_tool_so.c
// flags: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEAM num_threads(3)
#include "../../lib/omp_tasks.h"

int main(void)
{
	char path[4096], list[4200];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void (*print)(void *), (*program)(void *);
	void *library;
	long sum;

	if (length < 0)
		return 1;
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/other_tool_so.so");
	snprintf(list, sizeof(list), "/nonexistent/tool.so:%s", path);
	setenv("OMP_TOOL_LIBRARIES", list, 1);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 1;
	print = (void (*)(void *))dlsym(library, "other_tool_print");
	program = (void (*)(void *))dlsym(library, "other_tool_program");
	program((void *)main);
	sum = sum_in_tasks(100);
	printf("sum %ld\n", sum);
	print((void *)main);
	printf("tptrace-tasks 0\n");
	return sum != 4950;
}

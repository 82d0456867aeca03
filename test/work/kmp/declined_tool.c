/* SPDX-License-Identifier: MIT */
/* None of the libraries that OMP_TOOL_LIBRARIES names is a tool that libomp calls: we are. */
// needs: clang
// expect: not [x for x in r["runtimes"] if "note" in x]
// expect: not r["losses"]
// plugin: declining_tool_so.c
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEAM num_threads(3)
#include "../../lib/omp_tasks.h"

int main(void)
{
	char path[4096], list[4300];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	long sum;

	if (length < 0)
		return 1;
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/declining_tool_so.so");
	snprintf(list, sizeof(list), "/nonexistent/tool.so::libm.so.6:%s", path);
	setenv("OMP_TOOL_LIBRARIES", list, 1);
	sum = sum_in_tasks(100);
	printf("sum %ld\n", sum);
	printf("tptrace-tasks 100\n");
	return sum != 4950;
}

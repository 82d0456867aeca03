/* SPDX-License-Identifier: MIT */
/* hold.c - preloaded: nobody flushes a file until there is one named $HOLD. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int fflush(FILE *file)
{
	int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");

	while (access(getenv("HOLD"), F_OK) != 0)
		usleep(1000);
	return real(file);
}
